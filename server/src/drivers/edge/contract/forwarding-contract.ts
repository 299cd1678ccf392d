import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { project } from '../../../../test/rig/edge.ts';
import { until } from '../../../../test/rig/until.ts';
import { newHostName, type EdgeStage } from './stage-rig.ts';

/** Forwarding between client and app. */
export function passingOnContract(stage: EdgeStage): void {
  describe('forwarding', () => {
    it('sets X-Forwarded headers and drops hop-by-hop ones', async () => {
      const { host, app: mine } = await stage.deployed((_req, res) => {
        res.writeHead(200, { 'set-cookie': ['a=1', 'b=2'], connection: 'x-inner', 'x-inner': '1', 'x-outer': '2' });
        res.end();
      });
      const reply = await stage.ask(host, '/', {
        headers: {
          'x-forwarded-for': '6.6.6.6',
          'x-forwarded-proto': 'ftp',
          'x-forwarded-port': '1',
          forwarded: 'for=6.6.6.6',
          connection: 'x-secret, x-forwarded-host',
          'x-secret': '1',
          'proxy-authorization': 'Basic x',
        },
      });
      const [seen] = mine.seen;
      expect(seen!.headers).toMatchObject({ host, 'x-forwarded-for': '127.0.0.1' });
      expect(seen!.headers['x-forwarded-proto']).toBe(stage.secure ? 'https' : 'http');
      expect(seen!.headers['x-forwarded-port']).toBe(String(stage.port));
      expect(seen!.headers['x-forwarded-host']).toBe(host);
      expect(Object.keys(seen!.headers)).not.toContain('x-secret');
      expect(Object.keys(seen!.headers)).not.toContain('proxy-authorization');
      expect(Object.keys(seen!.headers)).not.toContain('forwarded');
      expect(reply.headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], 'x-outer': '2' });
      expect(reply.headers['x-inner']).toBeUndefined();
    });

    it('drops headers that apps could mistake for X-Forwarded ones', async () => {
      const { host, app: mine } = await stage.deployed((_req, res) => res.end());
      const forged = ['X_Forwarded_For', 'x-forwarded_for', 'X_FORWARDED-PROTO', 'X_Real_IP', 'x.forwarded.host'];
      const headers = Object.fromEntries(forged.map((name) => [name, '6.6.6.6']));
      await stage.ask(host, '/', { headers: { ...headers, x_request_id: '7', 'x-own': '8' } });
      const [seen] = mine.seen;
      expect(JSON.stringify(seen!.rawHeaders)).not.toContain('6.6.6.6');
      expect(seen!.headers).toMatchObject({ 'x-forwarded-for': '127.0.0.1', x_request_id: '7', 'x-own': '8' });
    });

    it('preserves methods, statuses, HEAD, empty responses and trailers', async () => {
      const { host } = await stage.deployed((req, res) => {
        if (req.url === '/trailers') {
          res.writeHead(200, { trailer: 'x-sum' }).write('body');
          res.addTrailers({ 'x-sum': '42' });
          res.end();
        } else res.writeHead(Number(req.url!.slice(1)), { 'content-length': req.method === 'HEAD' ? 99 : 0 }).end();
      });
      expect(await stage.ask(host, '/200', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
      expect((await stage.ask(host, '/200', { method: 'HEAD' })).headers['content-length']).toBe('99');
      for (const status of [204, 304, 418, 500]) expect((await stage.ask(host, `/${status}`)).status).toBe(status);
      expect(await stage.ask(host, '/trailers')).toMatchObject({ text: 'body', trailers: { 'x-sum': '42' } });
      expect((await stage.ask(host, '/201', { method: 'DELETE' })).status).toBe(201);
    });

    it('forwards each event of a stream immediately', async () => {
      let send: ((text: string) => void) | undefined;
      const { host } = await stage.deployed((_req, res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        send = (text) => res.write(`data: ${text}\n\n`);
      });
      const got: string[] = [];
      const call = stage.request({ headers: { host } }).end();
      const answer = await new Promise<IncomingMessage>((resolve) => call.once('response', resolve));
      answer.setEncoding('utf8').on('data', (chunk: string) => got.push(chunk));
      answer.once('error', () => got.push('closed'));
      for (const text of ['one', 'two', 'three']) {
        send!(text);
        await until(`${text} arrives`, () => got.at(-1) === `data: ${text}\n\n`, 1000);
      }
      call.destroy();
    });

    it('forwards Expect: 100-continue to the app', async () => {
      const host = newHostName();
      const mine = await stage.app((req, res) => void req.resume().on('end', () => res.end('read')));
      mine.server.on('checkContinue', (req, res) => {
        if (req.url === '/no') res.writeHead(417).end();
        else {
          res.writeContinue();
          req.resume().on('end', () => res.end('continued'));
        }
      });
      await stage.edge.point(project(host, 'dep_continue', mine.target));
      const put = (path: string) =>
        new Promise<[boolean, number]>((resolve, reject) => {
          const headers = { host, expect: '100-continue', 'content-length': '4' };
          const call = stage.request({ path, method: 'POST', headers });
          let continued = false;
          call.once('continue', () => {
            continued = true;
            call.end('body');
          });
          call.once('response', (answer) => {
            resolve([continued, answer.statusCode!]);
            call.destroy();
          });
          call.once('error', reject);
          call.flushHeaders();
        });
      expect(await put('/')).toEqual([true, 200]);
      expect(await put('/no')).toEqual([false, 417]);
    });

    it('propagates a disconnect in both directions', async () => {
      let gone = false;
      const { host } = await stage.deployed((req, res) => {
        res.on('close', () => (gone = true));
        res.writeHead(200, req.url === '/cut' ? { 'content-length': 1000 } : {}).write('begin');
        if (req.url === '/cut') setTimeout(() => res.destroy(), 50);
      });
      const call = stage.request({ headers: { host } }).end();
      call.on('error', () => undefined);
      call.once('response', (answer) => answer.on('error', () => undefined).once('data', () => call.destroy()));
      await until('the app is told', () => gone, 2000);
      await expect(stage.ask(host, '/cut')).rejects.toThrow('aborted');
    });

    it('streams 50 MB up and down', async () => {
      const { host } = await stage.deployed((req, res) => void req.pipe(res));
      const chunk = Buffer.alloc(1_000_000, 'm');
      const call = stage.request({ method: 'POST', headers: { host } });
      let received = 0;
      const done = new Promise<void>((resolve, reject) => {
        call.once('error', reject);
        call.once('response', (answer) => {
          answer.on('data', (data: Buffer) => (received += data.length));
          answer.once('end', resolve).once('error', reject);
        });
      });
      for (let i = 0; i < 50; i++) if (!call.write(chunk)) await new Promise((resolve) => call.once('drain', resolve));
      call.end();
      await done;
      expect(received).toBe(50_000_000);
    });
  });
}
