import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { askOn, openHttp2, replyOf } from '../../../../test/rig/http2.ts';
import { until } from '../../../../test/rig/until.ts';
import { http2AttacksContract } from './http2-attacks-contract.ts';
import type { EdgeStage } from './stage-rig.ts';

/** HTTP/2 behaves like HTTP/1. */
export function http2Contract(stage: EdgeStage): void {
  describe('HTTP/2', () => {
    it('is forwarded to the app like HTTP/1 requests', async () => {
      const { host, app } = await stage.deployed((req, res) => {
        res.writeHead(200, [
          'Set-Cookie',
          'a=1',
          'Set-Cookie',
          'b=2',
          'Connection',
          'x-inner',
          'X-Inner',
          '1',
          'Etag',
          'a',
          'Etag',
          'b',
        ]);
        req.resume().on('end', () => res.end('read'));
      });
      const session = await openHttp2(stage.port, host);
      const headers = { cookie: ['a=1', 'b=2'], 'x-forwarded-for': '6.6.6.6', te: 'trailers', 'x-text': 'é' };
      const reply = await askOn(session, '/p?q=1', { headers });
      expect(reply).toMatchObject({ status: 200, text: 'read', headers: { 'set-cookie': ['a=1', 'b=2'] } });
      expect(reply.headers['x-inner']).toBeUndefined();
      await askOn(session, '/post', { body: 'x' });
      // Retryable, so its body is read first.
      const put = await askOn(session, '/put', { method: 'PUT', body: 'x', headers: { 'content-length': '1' } });
      expect(put).toMatchObject({ status: 200, text: 'read' });
      const [seen, post] = app.seen;
      expect(seen).toMatchObject({ url: '/p?q=1', method: 'GET', httpVersion: '1.1' });
      expect(seen!.headers).toMatchObject({ host, cookie: 'a=1; b=2', 'x-forwarded-for': '127.0.0.1', 'x-text': 'é' });
      expect(seen!.headers).toMatchObject({ 'x-forwarded-proto': 'https', 'x-forwarded-host': host });
      expect(seen!.rawHeaders.filter((name) => /^(:|te$|transfer-encoding$)/i.test(name))).toEqual([]);
      expect(post!.headers['transfer-encoding']).toBe('chunked');
      session.close();
    });

    it('preserves HEAD, empty responses and trailers, with many concurrent streams', async () => {
      const { host } = await stage.deployed((req, res) => {
        if (req.url === '/trailers') {
          let text = '';
          req.on('data', (chunk: Buffer) => (text += chunk.toString()));
          req.on('end', () => {
            res.writeHead(200, { trailer: 'x-sum' }).write(text);
            res.addTrailers({ 'x-sum': String(req.trailers['x-up']) });
            res.end();
          });
        } else if (req.url!.startsWith('/n')) setTimeout(() => res.end(req.url), Math.random() * 20);
        else res.writeHead(Number(req.url!.slice(1)), { 'content-length': req.method === 'HEAD' ? 99 : 0 }).end();
      });
      const session = await openHttp2(stage.port, host);
      const head = await askOn(session, '/200', { method: 'HEAD' });
      expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-length': '99' } });
      for (const status of [204, 304, 418, 500]) expect((await askOn(session, `/${status}`)).status).toBe(status);
      const call = session.request(
        { ':authority': host, ':path': '/trailers', ':method': 'POST' },
        { waitForTrailers: true },
      );
      call.once('wantTrailers', () => call.sendTrailers({ 'x-up': '42' }));
      const reply = replyOf(call);
      call.end('body');
      expect(await reply).toMatchObject({ text: 'body', trailers: { 'x-sum': '42' } });
      const many = await Promise.all(Array.from({ length: 120 }, (_, i) => askOn(session, `/n${i}`)));
      expect(many.map(({ text }) => text)).toEqual(many.map((_, i) => `/n${i}`));
      session.close();
    });

    it('forwards each event immediately and tells the app when a client disconnects', async () => {
      let send: ((text: string) => void) | undefined;
      let gone = 0;
      const { host } = await stage.deployed((req, res) => {
        res.on('close', () => gone++);
        if (req.url === '/silent') return;
        res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        send = (text) => res.write(`data: ${text}\n\n`);
      });
      const session = await openHttp2(stage.port, host);
      const call = session.request({ ':authority': host, ':path': '/' });
      const got: string[] = [];
      call.setEncoding('utf8').on('data', (chunk: string) => got.push(chunk));
      await until('it begins', () => send !== undefined, 2000);
      for (const text of ['one', 'two']) {
        send!(text);
        await until(`${text} arrives`, () => got.at(-1) === `data: ${text}\n\n`, 1000);
      }
      call.close(8);
      await until('the app is told', () => gone === 1, 2000);
      const silent = session.request({ ':authority': host, ':path': '/silent' });
      await sleep(100);
      silent.close(8);
      await until('the app is told', () => gone === 2, 2000);
      expect(await stage.edge.drain(`dep_${host}`, 1000)).toBe(0);
      session.close();
    });

    it('never ends a truncated request or response as complete', async () => {
      const ends: string[] = [];
      const { host, app } = await stage.deployed((req, res) => {
        req.on('end', () => ends.push('whole')).on('error', () => ends.push('broken'));
        req.resume();
        if (req.url === '/cut') {
          res.writeHead(200).write('begin');
          setTimeout(() => res.destroy(), 50);
        }
      });
      const session = await openHttp2(stage.port, host);
      const leaving = await openHttp2(stage.port, host);
      leaving
        .request({ ':authority': host, ':path': '/up', ':method': 'POST' })
        .on('error', () => undefined)
        .write('half');
      await until('it arrives', () => app.seen.length === 1, 2000);
      await sleep(50);
      leaving.destroy();
      await until('the app is told', () => ends.length === 1, 2000);
      expect(ends).toEqual(['broken']);
      await expect(askOn(session, '/cut')).rejects.toThrow();
      session.close();
    });

    it('streams 30 MB up and down and ends an upload that the app rejects', async () => {
      const { host } = await stage.deployed(
        (req, res) => void (req.url === '/no' ? res.writeHead(413).end('no') : req.pipe(res)),
      );
      const session = await openHttp2(stage.port, host);
      const call = session.request({ ':authority': host, ':path': '/', ':method': 'POST' });
      let received = 0;
      call.on('data', (chunk: Buffer) => (received += chunk.length));
      const chunk = Buffer.alloc(1_000_000, 'm');
      for (let i = 0; i < 30; i++) if (!call.write(chunk)) await new Promise((resolve) => call.once('drain', resolve));
      call.end();
      await until('all of it comes back', () => received === 30_000_000, 20_000);
      const refused = session.request({ ':authority': host, ':path': '/no', ':method': 'POST' });
      const reply = replyOf(refused);
      refused.write(chunk);
      expect(await reply).toMatchObject({ status: 413, text: 'no' });
      expect((await askOn(session, '/no')).status).toBe(413);
      session.close();
    });

    it('is held and drained like HTTP/1', async () => {
      const answers: (() => void)[] = [];
      const { host, app } = await stage.deployed((_req, res) => void answers.push(() => res.end('late')));
      const session = await openHttp2(stage.port, host);
      const first = askOn(session, '/');
      await until('it arrives', () => answers.length === 1);
      expect(await stage.edge.drain(`dep_${host}`, 100)).toBe(1);
      const held = stage.edge.hold(`dep_${host}`, { withinMs: 10_000, drainMs: 5000 });
      await sleep(100);
      const second = askOn(session, '/');
      answers[0]!();
      expect([(await first).text, await held, app.seen.length]).toEqual(['late', 0, 1]);
      await stage.edge.resume(`dep_${host}`);
      await until('it arrives', () => answers.length === 2);
      answers[1]!();
      expect((await second).text).toBe('late');
      session.close();
    });

    http2AttacksContract(stage);
  });
}
