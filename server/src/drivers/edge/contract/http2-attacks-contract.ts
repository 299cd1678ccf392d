import { expect, it } from 'vitest';
import { askOn, frame, frames, headerBlock, openHttp2, preface, sendFrames } from '../../../../test/rig/http2.ts';
import type { EdgeStage } from './stage-rig.ts';

const endOfHeaders = 4;
const endOfStream = 1;

/** HTTP/2 attacks: request smuggling into HTTP/1, and floods. */
export function http2AttacksContract(stage: EdgeStage): void {
  const asked = (host: string, more: [string, string][] = [], method = 'GET'): [string, string][] => [
    [':method', method],
    [':scheme', 'https'],
    [':authority', host],
    [':path', '/'],
    ...more,
  ];
  const request = (headers: [string, string][], stream = 1, flags = endOfHeaders | endOfStream) =>
    frame(frames.headers, flags, stream, headerBlock(headers));

  it('rejects requests that HTTP/1 would parse differently', async () => {
    const { host, app } = await stage.deployed((req, res) => void req.resume().on('end', () => res.end()));
    const { host: other } = await stage.deployed((_req, res) => res.end());
    const wrong: Buffer[] = [
      request(asked(host, [['transfer-encoding', 'chunked']])),
      request(asked(host, [['connection', 'keep-alive']])),
      request(asked(host, [['X-Upper', 'a']])),
      request(asked(host, [[':path', '/two']])),
      request(asked(host, [[':unknown', '/two']])),
      request(asked(host, [['content-length', '5']])),
      request(asked(host, [['content-length', '+1']])),
      request(asked(host).map(([name, value]) => [name, name === ':path' ? '/ HTTP/1.1\r\nX: y' : value])),
      request(asked(host).map(([name, value]) => [name, name === ':path' ? 'http://evil/' : value])),
      request(asked(host).map(([name, value]) => [name, name === ':method' ? 'GET / HTTP/1.1' : value])),
      request(asked(host).map(([name, value]) => [name, name === ':scheme' ? 'http' : value])),
      request(asked(`user@${host}`)),
      request(asked(`${host}/x`)),
      request(asked(host, [['host', other]])),
      request(
        asked(host, [
          ['host', host],
          ['host', other],
        ]),
      ),
      request([...asked(host).slice(0, 2), [':path', '/']]),
      request(asked(host, [], 'CONNECT')),
    ];
    for (const [i, bytes] of wrong.entries()) {
      const { resets, goaway, kinds } = await sendFrames(stage.port, host, Buffer.concat([preface, bytes]), 150);
      expect(
        resets.length + (goaway ?? 0) + kinds.filter((kind) => kind === frames.headers).length,
        `${i}`,
      ).toBeGreaterThan(0);
    }
    expect(app.seen.map(({ rawHeaders, url }) => [url, ...rawHeaders])).toEqual([]);
    // nghttp2 drops these headers; the request is forwarded without them.
    const dropped: [string, string][] = [
      ['x', 'a\r\nhost: evil'],
      ['x', 'a\nb'],
      ['x\r\ny', 'a'],
      ['x y', 'a'],
    ];
    for (const each of dropped)
      await sendFrames(stage.port, host, Buffer.concat([preface, request(asked(host, [each]))]), 150);
    expect(app.seen.flatMap(({ rawHeaders }) => rawHeaders).filter((text) => /^x($|\s)|evil/.test(text))).toEqual([]);
  });

  it('rejects a body that does not match its Content-Length', async () => {
    const bodies: (string | null)[] = [];
    const { host } = await stage.deployed((req, res) => {
      let text = '';
      req.on('data', (chunk: Buffer) => (text += chunk.toString()));
      req.on('end', () => res.end(String(bodies.push(text)))).on('error', () => bodies.push(null));
    });
    for (const body of ['1234', '123456GET / HTTP/1.1']) {
      const head = request(asked(host, [['content-length', '5']], 'POST'), 1, endOfHeaders);
      const data = frame(frames.data, endOfStream, 1, Buffer.from(body));
      const { resets, goaway } = await sendFrames(stage.port, host, Buffer.concat([preface, head, data]), 600);
      expect(resets.length + (goaway ?? 0)).toBeGreaterThan(0);
    }
    expect(bodies.filter((each) => each !== null)).toEqual([]);
  });

  it('closes abusive connections and keeps serving the others', { timeout: 30_000 }, async () => {
    const { host } = await stage.deployed((_req, res) => void setTimeout(() => res.end('fine'), 20));
    const many = (count: number, make: (i: number) => Buffer) =>
      Buffer.concat([preface, ...Array.from({ length: count }, (_, i) => make(i))]);
    const block = headerBlock(asked(host));
    const floods: Record<string, Buffer> = {
      resets: many(3000, (i) =>
        Buffer.concat([request(asked(host), 2 * i + 1), frame(frames.reset, 0, 2 * i + 1, Buffer.from([0, 0, 0, 8]))]),
      ),
      settings: many(20_000, () => frame(frames.settings, 0, 0)),
      pings: many(20_000, () => frame(frames.ping, 0, 0, Buffer.alloc(8))),
      continuations: Buffer.concat([
        many(1, () => frame(frames.headers, endOfStream, 1, block)),
        ...Array.from({ length: 500 }, (_, i) =>
          frame(frames.continuation, 0, 1, headerBlock([[`x-${i}`, 'x'.repeat(100)]])),
        ),
      ]),
      headers: many(1, () =>
        request(
          asked(
            host,
            Array.from({ length: 80 }, (_, i) => [`x-${i}`, 'x'.repeat(1000)] as [string, string]),
          ),
        ),
      ),
      empty: many(1, () => frame(frames.headers, endOfHeaders, 1, block)),
    };
    const visitor = await openHttp2(stage.port, host);
    for (const [name, bytes] of Object.entries(floods)) {
      const heard = sendFrames(stage.port, host, bytes, 3000);
      expect((await askOn(visitor, '/')).text, name).toBe('fine');
      const { goaway, resets, kinds } = await heard;
      if (name === 'resets' || name === 'continuations') expect(goaway ?? 1, name).toBeGreaterThan(0);
      if (name === 'headers')
        expect(
          resets.length + (goaway ?? 0) + kinds.filter((kind) => kind === frames.headers).length,
          name,
        ).toBeGreaterThan(0);
    }
    expect((await askOn(visitor, '/')).text).toBe('fine');
    visitor.close();
    expect(await stage.edge.drain(`dep_${host}`, 2000)).toBe(0);
  });
}
