import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EngineClient, engineAt } from './client.ts';
import { EngineAwayError } from '../../errors.ts';
import { EngineError } from './errors.ts';
import { until } from '../../../../../test/rig/until.ts';
import { EngineWatch } from './event-watch.ts';
import { logFrames, engineTimeOf } from '../logs/frames.ts';

/** An HTTP server in place of an engine. */
async function clientOf(answer: RequestListener): Promise<EngineClient> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const client = new EngineClient(engineAt(`tcp://127.0.0.1:${(server.address() as AddressInfo).port}`));
  onTestFinished(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  return client;
}

const pinged = (version: string, then: RequestListener): RequestListener => {
  return (request, response) => {
    if (request.url === '/_ping') response.setHeader('api-version', version).end('OK');
    else then(request, response);
  };
};

describe('engine client', () => {
  it.each([
    ['1.41', '/v1.41/info'],
    ['1.99', '/v1.51/info'],
  ])('negotiates the API version with an engine of version %s', async (version, path) => {
    const client = await clientOf(pinged(version, (request, response) => response.end(JSON.stringify(request.url))));
    expect(await client.json({ method: 'GET', path: '/info' })).toBe(path);
  });

  it('reports an unreadable request body without blaming the engine', async () => {
    const client = await clientOf(
      pinged('1.41', (request, response) => request.resume().on('end', () => response.end())),
    );
    const body = Readable.from(
      (async function* () {
        yield Buffer.alloc(100_000);
        throw new Error('the file is gone');
      })(),
      { objectMode: false },
    );
    await expect(client.json({ method: 'PUT', path: '/x', body })).rejects.toThrow('the file is gone');
  });

  it('rejects an engine that is too old, and an invalid address', async () => {
    for (const version of ['1.40', 'x'])
      await expect((await clientOf(pinged(version, () => {}))).ping()).rejects.toThrow(/older than Docker 20.10/);
    expect(() => engineAt('http://somewhere')).toThrow(/begins with unix/);
  });

  it('encodes filters as JSON, whatever they contain', async () => {
    const client = await clientOf(pinged('1.41', (request, response) => response.end(JSON.stringify(request.url))));
    const label = ['a=b&c', '"\n💥', '%00?'];
    const url = await client.json<string>({ method: 'GET', path: '/x', query: { all: true, filters: { label } } });
    const { searchParams } = new URL(url, 'http://engine');
    expect([...searchParams.keys()]).toEqual(['all', 'filters']);
    expect(JSON.parse(searchParams.get('filters')!)).toEqual({ label });
  });

  it('distinguishes an error response from an unreachable engine', async () => {
    const lostLeader = 'rpc error: code = Unknown desc = raft: failed to process the request: node lost leader status';
    const client = await clientOf(
      pinged('1.41', ({ url }, response) => {
        if (url!.endsWith('refused')) response.writeHead(409).end('{"message":"no"}');
        else if (url!.endsWith('cut')) response.writeHead(200).write('{"half', () => response.destroy());
        else if (url!.endsWith('gone')) response.destroy();
        else if (url!.endsWith('leaderless')) response.writeHead(500).end(JSON.stringify({ message: lostLeader }));
      }),
    );
    const call = (path: string) => client.json({ method: 'GET', path, deadlineMs: 300 });
    await expect(call('/refused')).rejects.toMatchObject({ name: EngineError.name, status: 409, message: 'no' });
    for (const path of ['/cut', '/gone', '/silent', '/leaderless'])
      await expect(call(path)).rejects.toThrow(EngineAwayError);
    await expect(client.open({ method: 'GET', path: '/silent', deadlineMs: 200 })).rejects.toThrow(EngineAwayError);
    const nobody = new EngineClient(engineAt('unix:///nowhere/docker.sock'));
    await expect(nobody.ping()).rejects.toThrow(EngineAwayError);
  });
});

describe('untrusted engine', () => {
  it('cannot send unbounded responses or error messages', async () => {
    const said = 'x'.repeat(100_000);
    const client = await clientOf(
      pinged('1.41', ({ url }, response) => {
        if (url!.endsWith('long')) response.writeHead(409).end(JSON.stringify({ message: said }));
        else if (url!.endsWith('odd')) response.writeHead(409).end('{"message":{}}');
        else if (url!.endsWith('text')) response.end('<html>');
        else
          Readable.from(endless(said))
            .on('error', () => {})
            .pipe(response);
      }),
    );
    const call = (path: string) => client.json({ method: 'GET', path });
    const { message } = (await call('/long').catch((error: unknown) => error)) as Error;
    expect(message).toHaveLength(4000);
    await expect(call('/odd')).rejects.toMatchObject({ name: EngineError.name, message: '{"message":{}}' });
    await expect(call('/text')).rejects.toThrow(EngineAwayError);
    await expect(call('/endless')).rejects.toThrow('response exceeds 32 MB');
  });

  it('cannot send a frame or line without end', async () => {
    const header = Buffer.from([1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    let sent = 0;
    const stream = (first: Buffer) =>
      Readable.from(
        (function* () {
          for (yield first; sent < 64; sent++) yield chunk;
        })(),
      );
    const read = async (isRaw: boolean) => {
      sent = 0;
      for await (const _ of logFrames(stream(header), isRaw));
    };
    for (const isRaw of [false, true]) {
      await expect(read(isRaw)).rejects.toThrow('sends an endless line');
      expect(sent).toBeLessThan(10);
    }
  });

  it('is reconnected when it sends an event without end', async () => {
    let asked = 0;
    const client = await clientOf(
      pinged('1.41', (_, response) => {
        asked++;
        Readable.from(endless('x'.repeat(100_000)))
          .on('error', () => {})
          .pipe(response);
      }),
    );
    const away: unknown[] = [];
    const watcher = { onConnected: async () => {}, onEvent: () => {}, onAway: (error: unknown) => away.push(error) };
    const watch = new EngineWatch(client, 'inst', watcher);
    watch.begin();
    await until('it is asked again', async () => asked > 1);
    await watch.close();
    expect(String(away[0])).toContain('an endless event');
  });
});

/** Never sends a line feed. */
function* endless(piece: string): Generator<string> {
  for (;;) yield piece;
}

describe('log frames', () => {
  const frame = (kind: number, content: string) => {
    const payload = Buffer.from(content);
    const header = Buffer.from([kind, 0, 0, 0, 0, 0, 0, 0]);
    header.writeUInt32BE(payload.length, 4);
    return Buffer.concat([header, payload]);
  };
  const log = Buffer.concat([
    frame(1, '2026-01-31T12:00:00.000000001Z one é💥\n'),
    frame(2, '2026-01-31T12:00:00.000000002Z \n'),
    frame(1, `2026-01-31T12:00:01.500000003Z ${'x'.repeat(20_000)}`),
  ]);

  it.each([1, 7, 8, 9, 1000, 100_000])('are parsed from chunks of %i bytes', async (size) => {
    const chunks = Array.from({ length: Math.ceil(log.length / size) }, (_, i) =>
      log.subarray(i * size, (i + 1) * size),
    );
    const frames = [];
    for await (const { stream, mark, content } of logFrames(Readable.from(chunks)))
      frames.push([stream, mark.slice(17), content.toString()]);
    expect(frames).toEqual([
      ['stdout', '00.000000001Z', 'one é💥\n'],
      ['stderr', '00.000000002Z', '\n'],
      ['stdout', '01.500000003Z', 'x'.repeat(20_000)],
    ]);
  });

  it('keep their time to the nanosecond', () => {
    expect(engineTimeOf('2026-01-31T12:00:01.000000042Z')).toBe('1769860801.000000042');
    expect(engineTimeOf('2026-01-31T12:00:01.5Z', 2)).toBe('1769860799.500000000');
  });
});
