import { request } from 'node:http';
import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { brokenBytes, randomOf, responseBytes } from '../../../../../test/rig/random-responses.ts';
import { ResponseParser } from './response-parser.ts';

type Result = { status: number; reason: string; headers: string[]; body: string; trailers: string[] };
type Outcome = Result | 'refused';

/** Feeds the bytes in pieces of random sizes, then closes the connection. */
function ours(bytes: Buffer, method: string, seed: number): Outcome {
  const parser = new ResponseParser();
  const random = randomOf(seed);
  let body = '';
  parser.begin(method);
  try {
    for (let at = 0; at < bytes.length;) {
      const piece = Buffer.from(bytes.subarray(at, at + 1 + random.below(random.pick([1, 8, 64, 1024]))));
      parser.read(piece, piece.length, () => {});
      body += piece.toString('latin1', parser.bodyStart, parser.bodyEnd);
      at += piece.length;
    }
  } catch {
    return 'refused';
  }
  const { head, trailers } = parser;
  // Node refuses bytes behind the response, if they arrive with it.
  if (!head || !parser.end() || parser.hasExtra) return 'refused';
  return { status: head.status, reason: head.reason, headers: head.headers, body, trailers };
}

/** What Node's own client makes of the bytes. */
function nodes(bytes: Buffer, method: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    const call = request({ createConnection: () => socket, method, maxHeaderSize: 65_536 });
    const refuse = () => resolve('refused');
    call.once('error', refuse).once('upgrade', refuse).once('close', refuse);
    call.once('response', (answer) => {
      let body = '';
      answer.setEncoding('latin1').on('data', (text: string) => (body += text));
      answer.once('error', refuse);
      answer.once('end', () => {
        const { statusCode: status, statusMessage: reason, rawHeaders, rawTrailers: trailers, complete } = answer;
        const headers = endToEnd(rawHeaders);
        resolve(complete ? { status: status!, reason: reason!, headers, body, trailers } : 'refused');
      });
    });
    call.end();
    setImmediate(() => {
      socket.push(bytes);
      socket.push(null);
    });
  });
}

const hopByHop = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings)$/i;

function endToEnd(raw: string[]): string[] {
  const pairs = Array.from({ length: raw.length / 2 }, (_, i) => [raw[2 * i]!, raw[2 * i + 1]!] as const);
  const named = pairs.filter(([name]) => /^connection$/i.test(name)).flatMap(([, value]) => value.split(','));
  const names = new Set(named.map((name) => name.trim().toLowerCase()));
  return pairs.filter(([name]) => !hopByHop.test(name) && !names.has(name.toLowerCase())).flat();
}

const ok = 'HTTP/1.1 200 OK\r\n';

describe('response parser', () => {
  it.each(
    Object.entries({
      'no status line': 'hello\r\n\r\n',
      'an unknown version': 'HTTP/1.2 200 OK\r\n\r\n',
      'HTTP/2': 'HTTP/2.0 200 OK\r\n\r\n',
      'a status of two digits': 'HTTP/1.1 20 OK\r\n\r\n',
      'a status below 100': 'HTTP/1.1 099 OK\r\n\r\n',
      'an empty line before the status line': `\r\n${ok}Content-Length: 0\r\n\r\n`,
      'lines that end with LF': 'HTTP/1.1 200 OK\nContent-Length: 0\n\n',
      'one line that ends with LF': `${ok}A: b\nContent-Length: 0\r\n\r\n`,
      'a bare CR': `${ok}A: b\rc\r\nContent-Length: 0\r\n\r\n`,
      'a folded header': `${ok}A: b\r\n c\r\nContent-Length: 0\r\n\r\n`,
      'a space before the colon': `${ok}Content-Length : 0\r\n\r\n`,
      'a header without a colon': `${ok}Nothing\r\n\r\n`,
      'an empty header name': `${ok}: b\r\n\r\n`,
      'a NUL in a header': `${ok}A: b\0c\r\nContent-Length: 0\r\n\r\n`,
      'two lengths': `${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      'the same length twice': `${ok}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`,
      'a list of lengths': `${ok}Content-Length: 1, 1\r\n\r\na`,
      'a signed length': `${ok}Content-Length: +1\r\n\r\na`,
      'a length that is no number': `${ok}Content-Length: 0x1\r\n\r\na`,
      'an empty length': `${ok}Content-Length:\r\n\r\n`,
      'a length and chunks': `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      'another transfer encoding': `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      'chunked twice': `${ok}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      'a chunk size that is no number': `${ok}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`,
      'an empty chunk size': `${ok}Transfer-Encoding: chunked\r\n\r\n\r\n`,
      'a signed chunk size': `${ok}Transfer-Encoding: chunked\r\n\r\n-1\r\n`,
      'a space after the chunk size': `${ok}Transfer-Encoding: chunked\r\n\r\n1 \r\na\r\n0\r\n\r\n`,
      'a chunk size that overflows': `${ok}Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(17)}\r\n`,
      'a chunk size that ends with LF': `${ok}Transfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n`,
      'a chunk that is longer than its size': `${ok}Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n`,
      'a bad trailer': `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\n bad\r\n\r\n`,
      'a truncated body': `${ok}Content-Length: 5\r\n\r\nab`,
      'a truncated chunk': `${ok}Transfer-Encoding: chunked\r\n\r\n5\r\nab`,
      'a missing last chunk': `${ok}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n`,
      'a truncated head': `${ok}Content-Length: 0\r\n`,
      'too many headers': `${ok}${'A: '.concat('b'.repeat(1000), '\r\n').repeat(70)}\r\n`,
      'endless trailers': `${ok}Transfer-Encoding: chunked\r\n\r\n0\r\n${'A: '.concat('b'.repeat(1000), '\r\n').repeat(70)}`,
      'an endless extension': `${ok}Transfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(70_000)}`,
    }),
  )('refuses %s', (_name, text) => {
    for (let seed = 1; seed < 5; seed++) expect(ours(Buffer.from(text, 'latin1'), 'GET', seed)).toBe('refused');
  });

  it('reports bytes behind the response, and reads the next response after it', () => {
    const parser = new ResponseParser();
    const read = (text: string) => {
      const bytes = Buffer.from(text);
      parser.read(bytes, bytes.length, () => {});
      return bytes.toString('latin1', parser.bodyStart, parser.bodyEnd);
    };
    parser.begin('GET');
    expect(read(`${ok}Content-Length: 2\r\n\r\nab`)).toBe('ab');
    expect([parser.isOver, parser.hasExtra, parser.head!.keepsAlive]).toEqual([true, false, true]);
    parser.begin('HEAD');
    expect(read('HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nab')).toBe('');
    expect([parser.isOver, parser.hasExtra, parser.head!.keepsAlive]).toEqual([true, true, false]);
  });

  it('skips interim responses and finds what follows a 101', () => {
    const parser = new ResponseParser();
    const seen: number[] = [];
    const bytes = Buffer.from(
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n' +
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\nframe',
    );
    parser.begin('GET');
    parser.read(bytes, bytes.length, (status) => seen.push(status));
    expect(seen).toEqual([100, 103]);
    expect(parser.head).toMatchObject({ status: 101, upgrade: 'websocket', headers: [] });
    expect(bytes.toString('latin1', parser.upgradedAt)).toBe('frame');
  });

  it('limits the heads of one response, interim ones included, and reads the largest in single bytes', () => {
    const parser = new ResponseParser();
    const interim = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100));
    const flood = () => Array.from({ length: 100 }, () => parser.read(interim, interim.length, () => {}));
    parser.begin('GET');
    expect(flood).toThrow('too large');
    const slow = new ResponseParser();
    slow.begin('GET');
    for (const byte of Buffer.from(`HTTP/1.1 204 No\r\nX: ${'y'.repeat(60_000)}\r\n\r\n`))
      slow.read(Buffer.of(byte), 1, () => {});
    expect(slow.head).toMatchObject({ status: 204, headers: ['X', 'y'.repeat(60_000)] });
  });

  it('reads valid responses the same in pieces of any size', async () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = randomOf(seed);
      const method = random.pick(['GET', 'GET', 'GET', 'HEAD', 'POST']);
      const bytes = responseBytes(random, method);
      const whole = await nodes(bytes, method);
      expect(whole, `seed ${seed}: ${JSON.stringify(bytes.toString('latin1'))}`).not.toBe('refused');
      for (const pieces of [1, 2, 3]) expect(ours(bytes, method, seed * 7 + pieces), `seed ${seed}`).toEqual(whole);
    }
  });

  it('reads broken responses like Node, or refuses them', async () => {
    let accepted = 0;
    for (let seed = 1; seed <= 1500; seed++) {
      const random = randomOf(seed);
      const method = random.pick(['GET', 'GET', 'HEAD']);
      const bytes = brokenBytes(responseBytes(random, method), random);
      const result = ours(bytes, method, seed);
      if (result === 'refused') continue;
      accepted++;
      expect(result, `seed ${seed}: ${JSON.stringify(bytes.toString('latin1'))}`).toEqual(await nodes(bytes, method));
    }
    expect(accepted).toBeGreaterThan(200);
  });
});
