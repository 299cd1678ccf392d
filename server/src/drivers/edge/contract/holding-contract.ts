import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { project } from '../../../../test/rig/edge.ts';
import { freePort } from '../../../../test/rig/ports.ts';
import { until } from '../../../../test/rig/until.ts';
import { newHostName, type EdgeStage } from './stage-rig.ts';

/** Holding requests while their app restarts. */
export function holdingContract(stage: EdgeStage): void {
  describe('holding', () => {
    const times = { withinMs: 10_000, drainMs: 5000 };

    it('queues new requests of any method while the app is down and loses none', async () => {
      const appPort = await freePort();
      const host = newHostName();
      const target = { type: 'upstream', host: '127.0.0.1', port: appPort } as const;
      const answers: (() => void)[] = [];
      const first = await stage.app((_req, res) => void answers.push(() => res.end('first')), appPort);
      await stage.edge.point(project(host, `dep_${host}`, target));
      const open = stage.ask(host);
      await until('it arrives', () => answers.length === 1);
      const rest = stage.edge.hold(`dep_${host}`, times);
      // The hold applies before the call resolves, which waits for open requests.
      await sleep(200);
      const early = stage.ask(host, '/', { method: 'POST', body: 'early' });
      await sleep(200);
      expect(first.seen).toHaveLength(1);
      answers[0]!();
      expect([(await open).text, await rest]).toEqual(['first', 0]);
      await first.close();
      const asked = Promise.all([
        stage.ask(host),
        stage.ask(host, '/', { method: 'POST', body: 'x'.repeat(200_000) }),
        stage.ask(host, '/', { method: 'PUT', body: 'small' }),
      ]);
      const upgraded = stage.openUpgraded(host);
      // Longer than a request waits for an app that does not listen.
      await sleep(4000);
      const second = await stage.app((req, res) => void req.resume().on('end', () => res.end('second')), appPort);
      expect(second.seen).toEqual([]);
      expect(await stage.edge.held()).toEqual([`dep_${host}`]);
      await stage.edge.resume(`dep_${host}`);
      expect(await stage.edge.held()).toEqual([]);
      for (const reply of [await early, ...(await asked)]) expect(reply).toMatchObject({ status: 200, text: 'second' });
      (await upgraded).socket.destroy();
      await stage.edge.resume(`dep_${host}`);
    });

    it('ends after its time limit and drops requests whose client has left', async () => {
      const { host, app: mine } = await stage.deployed((_req, res) => res.end('mine'));
      const began = Date.now();
      expect(await stage.edge.hold(`dep_${host}`, { withinMs: 700, drainMs: 0 })).toBe(0);
      const impatient = stage.request({ path: '/gone', headers: { host } }).end();
      impatient.on('error', () => undefined);
      await sleep(100);
      impatient.destroy();
      expect((await stage.ask(host, '/stayed')).text).toBe('mine');
      expect(Date.now() - began).toBeGreaterThanOrEqual(690);
      expect(mine.seen.map(({ url }) => url)).toEqual(['/stayed']);
    });

    it('drains requests but not streams or upgrades, and returns the number left', async () => {
      const { host } = await stage.deployed((req, res) => {
        res.writeHead(200, req.url === '/events' ? { 'content-type': 'text/event-stream' } : {}).write('begin');
      });
      const { socket } = await stage.openUpgraded(host);
      const begin = (path: string) => {
        const call = stage.request({ path, headers: { host } }).end();
        call.on('error', () => undefined);
        return new Promise<typeof call>((resolve) => call.once('response', () => resolve(call)));
      };
      const events = await begin('/events');
      const began = Date.now();
      expect(await stage.edge.hold(`dep_${host}`, times)).toBe(0);
      expect(Date.now() - began).toBeLessThan(1000);
      await stage.edge.resume(`dep_${host}`);
      const endless = await begin('/endless');
      expect(await stage.edge.hold(`dep_${host}`, { ...times, drainMs: 200 })).toBe(1);
      await stage.edge.resume(`dep_${host}`);
      for (const each of [socket, events, endless]) each.destroy();
    });

    it('holds one deployment only and sends waiting requests to a new release', async () => {
      const { host } = await stage.deployed((_req, res) => res.end('old'));
      const other = await stage.deployed((_req, res) => res.end('other'));
      await stage.edge.hold(`dep_${host}`, times);
      const asked = stage.ask(host);
      expect((await stage.ask(other.host)).text).toBe('other');
      await stage.edge.point(project(host, 'dep_new', (await stage.app((_req, res) => res.end('new'))).target, 2));
      expect(await asked).toMatchObject({ status: 200, text: 'new' });
      await stage.edge.resume(`dep_${host}`);
    });
  });
}
