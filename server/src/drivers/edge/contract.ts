import { type IncomingMessage, request, type RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../test/rig/ports.ts';
import {
  ask,
  openUpgraded,
  portOf,
  project,
  sendRaw,
  startLoad,
  startTestApp,
  type TestApp,
} from '../../../test/rig/edge.ts';
import { until } from '../../../test/rig/until.ts';
import { type Edge, StaleFenceError } from './edge.ts';
import { staticContract } from './static-contract.ts';

export type RunningEdge = { edge: Edge; close(): Promise<void> };

let names = 0;
export const newName = (): string => `app-${++names}.localhost`;

/** What every edge must do, whatever it is made of. */
export function edgeContract(name: string, start: () => Promise<RunningEdge>): void {
  describe(`edge contract: ${name}`, () => {
    let running: RunningEdge;
    let edge: Edge;
    let port: number;
    const apps: TestApp[] = [];
    const app = async (handle: RequestListener, onPort = 0) => {
      const started = await startTestApp(handle, onPort);
      apps.push(started);
      return started;
    };
    /** An app that is pointed at under a new name. */
    const deployed = async (handle: RequestListener) => {
      const host = newName();
      const started = await app(handle);
      await edge.point(project(host, `dep_${host}`, started.target));
      return { host, app: started };
    };

    beforeAll(async () => {
      running = await start();
      ({ edge } = running);
      port = portOf(edge);
    });
    afterAll(() => running?.close());
    afterEach(async () => {
      await Promise.all(apps.splice(0).map((each) => each.close()));
    });

    describe('names', () => {
      it('answers for a name however it is written, and for no other', async () => {
        const { host } = await deployed((_req, res) => res.end('mine'));
        for (const written of [host, host.toUpperCase(), `${host}:${port}`, `${host}.`, `${host}.:1`])
          expect(await ask(port, written)).toMatchObject({ status: 200, text: 'mine' });
        for (const other of [`x.${host}`, 'app', 'localhost', `${host}.evil`, '127.0.0.1'])
          expect((await ask(port, other)).status).toBe(404);
      });

      it('goes by the longest path, in whole segments', async () => {
        const host = newName();
        const [site, api, deep] = await Promise.all(
          ['site', 'api', 'deep'].map((text) => app((req, res) => res.end(`${text} ${req.url}`))),
        );
        const route = (path: string, { target }: TestApp) => ({ host, path, deploymentId: `dep_${path}`, target });
        const routes = [route('/', site!), route('/api', api!), route('/api/deep', deep!)];
        await edge.point({ key: host, fence: 1, routes });
        const expected = { '/': 'site', '/apix': 'site', '/api': 'api', '/api?q': 'api', '/api/deep/x': 'deep' };
        for (const [path, text] of Object.entries(expected))
          expect((await ask(port, host, path)).text).toBe(`${text} ${path}`);
      });

      it('takes the host of an absolute target, and refuses two hosts or none', async () => {
        const { host, app: mine } = await deployed((req, res) => res.end(`${req.headers.host} ${req.url}`));
        const other = await deployed((_req, res) => res.end('other'));
        const absolute = `GET http://${host}/p?q HTTP/1.1\r\nHost: ${other.host}\r\nConnection: close\r\n\r\n`;
        expect(await sendRaw(port, absolute)).toMatch(new RegExp(`^HTTP/1.1 200[^]*${host} /p\\?q`));
        const before = mine.seen.length;
        for (const hosts of [`Host: ${host}\r\nHost: ${other.host}\r\n`, '', 'Host: a b\r\n', 'Host: a/b\r\n'])
          expect(await sendRaw(port, `GET / HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1.1 400/);
        expect(mine.seen.length).toBe(before);
        expect(other.app.seen).toEqual([]);
      });

      it('refuses what could be read in two ways', async () => {
        const { host, app: mine } = await deployed((_req, res) => res.end('ok'));
        const ambiguous = [
          'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
          'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
          'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
          'Content-Length: 1\r\nContent-Length: 2\r\n\r\nab',
          'Content-Length: +1\r\n\r\na',
          'Content-Length : 1\r\n\r\na',
          'Content-Length: 1\r\nX: a\r\n folded\r\n\r\na',
        ];
        for (const rest of ambiguous)
          expect(await sendRaw(port, `POST / HTTP/1.1\r\nHost: ${host}\r\n${rest}`), rest).toMatch(/^HTTP\/1.1 4\d\d/);
        expect(mine.seen).toEqual([]);
        expect(await sendRaw(port, `GET / HTTP/1.1\r\nHost: ${host}\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`)).toMatch(
          /^HTTP\/1.1 431/,
        );
      });
    });

    describe('passing on', () => {
      it('tells the app who asks, and nothing that is meant for us', async () => {
        const { host, app: mine } = await deployed((_req, res) => {
          res.writeHead(200, { 'set-cookie': ['a=1', 'b=2'], connection: 'x-inner', 'x-inner': '1', 'x-outer': '2' });
          res.end();
        });
        const reply = await ask(port, host, '/', {
          headers: {
            'x-forwarded-for': '6.6.6.6',
            'x-forwarded-proto': 'https',
            forwarded: 'for=6.6.6.6',
            connection: 'x-secret, x-forwarded-host',
            'x-secret': '1',
            'proxy-authorization': 'Basic x',
          },
        });
        const [seen] = mine.seen;
        expect(seen!.headers).toMatchObject({ host, 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' });
        expect(seen!.headers['x-forwarded-host']).toBe(host);
        expect(Object.keys(seen!.headers)).not.toContain('x-secret');
        expect(Object.keys(seen!.headers)).not.toContain('proxy-authorization');
        expect(Object.keys(seen!.headers)).not.toContain('forwarded');
        expect(reply.headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'], 'x-outer': '2' });
        expect(reply.headers['x-inner']).toBeUndefined();
      });

      it('keeps method, status, HEAD, empty answers and trailers', async () => {
        const { host } = await deployed((req, res) => {
          if (req.url === '/trailers') {
            res.writeHead(200, { trailer: 'x-sum' }).write('body');
            res.addTrailers({ 'x-sum': '42' });
            res.end();
          } else res.writeHead(Number(req.url!.slice(1)), { 'content-length': req.method === 'HEAD' ? 99 : 0 }).end();
        });
        expect(await ask(port, host, '/200', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
        expect((await ask(port, host, '/200', { method: 'HEAD' })).headers['content-length']).toBe('99');
        for (const status of [204, 304, 418, 500]) expect((await ask(port, host, `/${status}`)).status).toBe(status);
        expect(await ask(port, host, '/trailers')).toMatchObject({ text: 'body', trailers: { 'x-sum': '42' } });
        expect((await ask(port, host, '/201', { method: 'DELETE' })).status).toBe(201);
      });

      it('hands each event of a stream on at once', async () => {
        let send: ((text: string) => void) | undefined;
        const { host } = await deployed((_req, res) => {
          res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
          send = (text) => res.write(`data: ${text}\n\n`);
        });
        const got: string[] = [];
        const call = request({ host: '127.0.0.1', port, headers: { host }, agent: false }).end();
        const answer = await new Promise<IncomingMessage>((resolve) => call.once('response', resolve));
        answer.setEncoding('utf8').on('data', (chunk: string) => got.push(chunk));
        answer.once('error', () => got.push('closed'));
        for (const text of ['one', 'two', 'three']) {
          send!(text);
          await until(`${text} arrives`, () => got.at(-1) === `data: ${text}\n\n`, 1000);
        }
        call.destroy();
      });

      it('asks the app whether a body is welcome', async () => {
        const host = newName();
        const mine = await app((req, res) => void req.resume().on('end', () => res.end('read')));
        mine.server.on('checkContinue', (req, res) => {
          if (req.url === '/no') res.writeHead(417).end();
          else {
            res.writeContinue();
            req.resume().on('end', () => res.end('continued'));
          }
        });
        await edge.point(project(host, 'dep_continue', mine.target));
        const put = (path: string) =>
          new Promise<[boolean, number]>((resolve, reject) => {
            const headers = { host, expect: '100-continue', 'content-length': '4' };
            const call = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false });
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

      it('tells the app when the client goes, and the client when the app goes', async () => {
        let gone = false;
        const { host } = await deployed((req, res) => {
          res.on('close', () => (gone = true));
          res.writeHead(200, req.url === '/cut' ? { 'content-length': 1000 } : {}).write('begin');
          if (req.url === '/cut') setTimeout(() => res.destroy(), 50);
        });
        const call = request({ host: '127.0.0.1', port, headers: { host }, agent: false }).end();
        call.on('error', () => undefined);
        call.once('response', (answer) => answer.on('error', () => undefined).once('data', () => call.destroy()));
        await until('the app is told', () => gone, 2000);
        await expect(ask(port, host, '/cut')).rejects.toThrow('aborted');
      });

      it('streams 50 MB up and down', async () => {
        const { host } = await deployed((req, res) => void req.pipe(res));
        const chunk = Buffer.alloc(1_000_000, 'm');
        const call = request({ host: '127.0.0.1', port, method: 'POST', headers: { host }, agent: false });
        let received = 0;
        const done = new Promise<void>((resolve, reject) => {
          call.once('error', reject);
          call.once('response', (answer) => {
            answer.on('data', (data: Buffer) => (received += data.length));
            answer.once('end', resolve).once('error', reject);
          });
        });
        for (let i = 0; i < 50; i++)
          if (!call.write(chunk)) await new Promise((resolve) => call.once('drain', resolve));
        call.end();
        await done;
        expect(received).toBe(50_000_000);
      });
    });

    describe('apps that are away', () => {
      it('waits for one that restarts, whatever the method, as long as nothing was sent', async () => {
        const host = newName();
        const appPort = await freePort();
        await edge.point(project(host, 'dep_restart', { type: 'upstream', host: '127.0.0.1', port: appPort }));
        const asked = Promise.all([
          ask(port, host),
          ask(port, host, '/', { method: 'POST', body: 'x'.repeat(200_000) }),
          ask(port, host, '/', { method: 'PUT', body: 'small' }),
        ]);
        await sleep(300);
        await app((req, res) => void req.resume().on('end', () => res.end('back')), appPort);
        for (const reply of await asked) expect(reply).toMatchObject({ status: 200, text: 'back' });
      });

      it('sends what waits to the new release, once there is one', async () => {
        const host = newName();
        const gone = { type: 'upstream', host: '127.0.0.1', port: await freePort() } as const;
        await edge.point(project(host, 'dep_gone', gone));
        const asked = ask(port, host);
        await sleep(100);
        await edge.point(project(host, 'dep_new', (await app((_req, res) => res.end('new'))).target, 2));
        expect(await asked).toMatchObject({ status: 200, text: 'new' });
      });

      it('gives up after a few seconds without saying what is behind', async () => {
        const host = newName();
        const appPort = await freePort();
        await edge.point(project(host, 'dep_away', { type: 'upstream', host: '127.0.0.1', port: appPort }));
        const began = Date.now();
        const [page, json] = await Promise.all([
          ask(port, host, '/<script>', { headers: { accept: 'text/html' } }),
          ask(port, host, '/', { headers: { accept: 'application/json' } }),
        ]);
        expect(Date.now() - began).toBeLessThan(6000);
        expect(page.status).toBe(502);
        expect(page.text).not.toMatch(new RegExp(`${appPort}|127\\.0|ECONN|<script`));
        expect(JSON.parse(json.text)).toMatchObject({ success: false });
      });

      it('asks again only what may be asked again', async () => {
        let times = 0;
        const { host } = await deployed((req, res) => {
          times++;
          if (req.method === 'POST' || times === 1) req.socket.destroy();
          else res.end(`after ${times}`);
        });
        expect((await ask(port, host)).text).toBe('after 2');
        times = 0;
        expect((await ask(port, host, '/', { method: 'POST', body: 'pay' })).status).toBe(502);
        expect((await ask(port, host, '/', { method: 'POST' })).status).toBe(502);
        expect(times).toBe(2);
      });
    });

    describe('switching', () => {
      it('loses no request, and sends none to the old one afterwards', { timeout: 30_000 }, async () => {
        const host = newName();
        let current = 0;
        const version = (number: number) =>
          app((_req, res) => void setTimeout(() => res.end(String(number)), Math.random() * 5));
        let old = await version(0);
        await edge.point(project(host, 'dep_0', old.target, 0));
        const load = startLoad(port, host, 16, ({ status, text }) => (status === 200 ? null : `${status} ${text}`));
        for (let number = 1; number <= 20; number++) {
          const next = await version(number);
          await edge.point(project(host, `dep_${number}`, next.target, number));
          current = number;
          const fresh = await Promise.all(Array.from({ length: 10 }, () => ask(port, host)));
          expect(fresh.map(({ text }) => text)).toEqual(fresh.map(() => String(current)));
          expect(await edge.drain(`dep_${number - 1}`, 5000)).toBe(0);
          const before = load.requests();
          const late = old.seen.length;
          await until('some hundred requests', () => load.requests() - before > 200, 10_000);
          expect(old.seen.length).toBe(late);
          await old.close();
          old = next;
        }
        await load.stop();
        expect(load.failures).toEqual([]);
        expect(load.requests()).toBeGreaterThan(4000);
      });

      it('lets open connections of a changed protocol live until they are drained', async () => {
        const { host } = await deployed((_req, res) => res.end());
        const { socket, received } = await openUpgraded(port, host);
        socket.write('before');
        await until('the echo', () => received() === 'before', 2000);
        const next = await app((_req, res) => res.end('new'));
        await edge.point(project(host, 'dep_next', next.target, 2));
        socket.write(' after');
        await until('the echo', () => received() === 'before after', 2000);
        expect((await ask(port, host)).text).toBe('new');
        expect(await edge.drain(`dep_${host}`, 100)).toBe(1);
        const drained = edge.drain(`dep_${host}`, 5000);
        socket.end();
        expect(await drained).toBe(0);
      });

      it('answers a request to change protocols that nobody can take', async () => {
        await expect(openUpgraded(port, 'nobody.localhost')).rejects.toThrow('HTTP/1.1 404');
        const host = newName();
        await edge.point(project(host, 'dep_x', { type: 'upstream', host: '127.0.0.1', port: await freePort() }));
        await expect(openUpgraded(port, host)).rejects.toThrow('HTTP/1.1 502');
        const { host: plain, app: refusing } = await deployed((_req, res) => res.end('plain'));
        refusing.server.removeAllListeners('upgrade');
        await expect(openUpgraded(port, plain)).rejects.toThrow(/HTTP\/1.1 200[^]*plain/);
        const offer = `GET / HTTP/1.1\r\nHost: ${plain}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n`;
        expect(await sendRaw(port, `${offer}HTTP2-Settings: x\r\n\r\n`, 500)).toMatch(/^HTTP\/1.1 200[^]*plain/);
        expect(refusing.seen.at(-1)!.headers['http2-settings']).toBeUndefined();
        expect(await edge.drain(`dep_${plain}`, 1000)).toBe(0);
      });

      it('keeps no connection to a drained deployment', async () => {
        const [one, two] = await Promise.all([deployed((_req, res) => res.end()), deployed((_req, res) => res.end())]);
        await Promise.all([one, two].map(({ host }) => ask(port, host)));
        const connections = () => new Promise<number>((resolve) => two.app.server.getConnections((_, n) => resolve(n)));
        expect(await connections()).toBe(1);
        await edge.drain(`dep_${two.host}`, 1000);
        await until('it is closed', async () => (await connections()) === 0, 500);
      });

      it('waits for requests under way', async () => {
        const answers: (() => void)[] = [];
        const { host } = await deployed((_req, res) => void answers.push(() => res.end('late')));
        const asked = ask(port, host);
        await until('it arrives', () => answers.length === 1);
        const next = await app((_req, res) => res.end('new'));
        await edge.point(project(host, 'dep_n', next.target, 2));
        expect(await edge.drain(`dep_${host}`, 100)).toBe(1);
        const drained = edge.drain(`dep_${host}`, 5000);
        answers[0]!();
        expect((await asked).text).toBe('late');
        expect(await drained).toBe(0);
        expect(await edge.drain('dep_unknown', 5000)).toBe(0);
      });
    });

    describe('holding', () => {
      const times = { withinMs: 10_000, drainMs: 5000 };

      it('lets new requests wait while the app is away, whatever they are, and loses none', async () => {
        const appPort = await freePort();
        const host = newName();
        const target = { type: 'upstream', host: '127.0.0.1', port: appPort } as const;
        const answers: (() => void)[] = [];
        const first = await app((_req, res) => void answers.push(() => res.end('first')), appPort);
        await edge.point(project(host, `dep_${host}`, target));
        const open = ask(port, host);
        await until('it arrives', () => answers.length === 1);
        const rest = edge.hold(`dep_${host}`, times);
        // Held before the call returns: that waits for what is open.
        await sleep(200);
        const early = ask(port, host, '/', { method: 'POST', body: 'early' });
        await sleep(200);
        expect(first.seen).toHaveLength(1);
        answers[0]!();
        expect([(await open).text, await rest]).toEqual(['first', 0]);
        await first.close();
        const asked = Promise.all([
          ask(port, host),
          ask(port, host, '/', { method: 'POST', body: 'x'.repeat(200_000) }),
          ask(port, host, '/', { method: 'PUT', body: 'small' }),
        ]);
        const upgraded = openUpgraded(port, host);
        // Longer than a request waits for an app that does not listen.
        await sleep(4000);
        const second = await app((req, res) => void req.resume().on('end', () => res.end('second')), appPort);
        expect(second.seen).toEqual([]);
        expect(await edge.held()).toEqual([`dep_${host}`]);
        await edge.resume(`dep_${host}`);
        expect(await edge.held()).toEqual([]);
        for (const reply of [await early, ...(await asked)])
          expect(reply).toMatchObject({ status: 200, text: 'second' });
        (await upgraded).socket.destroy();
        await edge.resume(`dep_${host}`);
      });

      it('is over by itself, and drops who has given up', async () => {
        const { host, app: mine } = await deployed((_req, res) => res.end('mine'));
        const began = Date.now();
        expect(await edge.hold(`dep_${host}`, { withinMs: 700, drainMs: 0 })).toBe(0);
        const impatient = request({ host: '127.0.0.1', port, path: '/gone', headers: { host }, agent: false }).end();
        impatient.on('error', () => undefined);
        await sleep(100);
        impatient.destroy();
        expect((await ask(port, host, '/stayed')).text).toBe('mine');
        expect(Date.now() - began).toBeGreaterThanOrEqual(690);
        expect(mine.seen.map(({ url }) => url)).toEqual(['/stayed']);
      });

      it('waits for requests only, not for what lasts, and says how many are left', async () => {
        const { host } = await deployed((req, res) => {
          res.writeHead(200, req.url === '/events' ? { 'content-type': 'text/event-stream' } : {}).write('begin');
        });
        const { socket } = await openUpgraded(port, host);
        const begin = (path: string) => {
          const call = request({ host: '127.0.0.1', port, path, headers: { host }, agent: false }).end();
          call.on('error', () => undefined);
          return new Promise<typeof call>((resolve) => call.once('response', () => resolve(call)));
        };
        const events = await begin('/events');
        const began = Date.now();
        expect(await edge.hold(`dep_${host}`, times)).toBe(0);
        expect(Date.now() - began).toBeLessThan(1000);
        await edge.resume(`dep_${host}`);
        const endless = await begin('/endless');
        expect(await edge.hold(`dep_${host}`, { ...times, drainMs: 200 })).toBe(1);
        await edge.resume(`dep_${host}`);
        for (const each of [socket, events, endless]) each.destroy();
      });

      it('holds one deployment only, and sends who waits to another release as soon as there is one', async () => {
        const { host } = await deployed((_req, res) => res.end('old'));
        const other = await deployed((_req, res) => res.end('other'));
        await edge.hold(`dep_${host}`, times);
        const asked = ask(port, host);
        expect((await ask(port, other.host)).text).toBe('other');
        await edge.point(project(host, 'dep_new', (await app((_req, res) => res.end('new'))).target, 2));
        expect(await asked).toMatchObject({ status: 200, text: 'new' });
        await edge.resume(`dep_${host}`);
      });
    });

    describe('projects', () => {
      it('refuses an older fence and takes an equal one', async () => {
        const host = newName();
        const [one, two] = [await app((_req, res) => res.end('one')), await app((_req, res) => res.end('two'))];
        await edge.point(project(host, 'dep_1', one.target, 7));
        await expect(edge.point(project(host, 'dep_2', two.target, 6))).rejects.toThrow(StaleFenceError);
        expect((await ask(port, host)).text).toBe('one');
        await edge.point(project(host, 'dep_1', one.target, 7));
        await edge.point(project(host, 'dep_2', two.target, 8));
        expect((await ask(port, host)).text).toBe('two');
      });

      it('lists what it was pointed at, and forgets what is removed but not its fence', async () => {
        const { host, app: mine } = await deployed((_req, res) => res.end('mine'));
        const pointed = project(host, `dep_${host}`, mine.target);
        expect(await edge.list()).toContainEqual(pointed);
        await edge.remove(pointed.key);
        await edge.remove(pointed.key);
        expect((await ask(port, host)).status).toBe(404);
        expect((await edge.list()).map(({ key }) => key)).not.toContain(pointed.key);
        await expect(edge.point({ ...pointed, fence: 0 })).rejects.toThrow(StaleFenceError);
        await edge.point({ ...pointed, fence: 1 });
        expect((await ask(port, host)).text).toBe('mine');
      });

      it('never lets one project take the name of another', async () => {
        const { host, app: mine } = await deployed((_req, res) => res.end('mine'));
        await expect(edge.point({ ...project(host, 'dep_thief', mine.target), key: 'thief' })).rejects.toThrow(host);
        expect((await ask(port, host)).text).toBe('mine');
      });
    });

    staticContract(() => ({ edge, port }));
  });
}
