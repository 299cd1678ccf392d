import { describe, expect, it } from 'vitest';
import { project } from '../../../../test/rig/edge.ts';
import { until } from '../../../../test/rig/until.ts';
import { freePort } from '../../../../test/rig/ports.ts';
import { latencyBounds } from '../edge.ts';
import { newHostName, type EdgeStage } from './stage-rig.ts';

/** Traffic counts of the edge. */
export function trafficContract(stage: EdgeStage): void {
  /** Sums over all minutes. */
  const counted = async (host: string) => {
    const { minutes } = await stage.edge.traffic(0);
    const own = minutes.filter(({ key }) => key === `${host}/production`);
    const sum = (of: (minute: (typeof own)[number]) => number) => own.reduce((all, each) => all + of(each), 0);
    return {
      requests: sum(({ requests }) => requests),
      statuses: [0, 1, 2, 3, 4].map((i) => sum(({ statuses }) => statuses[i]!)),
      bytesIn: sum(({ bytesIn }) => bytesIn),
      bytesOut: sum(({ bytesOut }) => bytesOut),
      latency: [...latencyBounds, 0].map((_, i) => sum(({ latency }) => latency[i]!)),
    };
  };

  describe('traffic counts', () => {
    it('include requests, statuses, bytes and latency per project', async () => {
      const { host } = await stage.deployed((req, res) => {
        const wait = req.url === '/slow' ? 150 : 0;
        req
          .resume()
          .on('end', () => setTimeout(() => res.writeHead(Number(req.url!.slice(1)) || 200).end('12345'), wait));
      });
      for (const path of ['/200', '/201', '/302', '/404', '/500', '/slow']) await stage.ask(host, path);
      await stage.ask(host, '/200', { method: 'POST', body: 'x'.repeat(100_000) });
      await stage.ask(host, '/200', { method: 'PUT', body: '123' });
      await until('all are counted', async () => (await counted(host)).requests === 8, 2000);
      const all = await counted(host);
      expect(all).toMatchObject({ statuses: [0, 5, 1, 1, 1], bytesIn: 100_003, bytesOut: 40 });
      const slow = latencyBounds.findIndex((bound) => bound >= 150);
      expect(all.latency.reduce((sum, each) => sum + each, 0)).toBe(8);
      expect(all.latency.slice(slow).reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(1);
    });

    it('include responses of the edge and aborted requests, and count an upgrade once', async () => {
      const host = newHostName();
      await stage.edge.point(
        project(host, 'dep_away', { type: 'upstream', host: '127.0.0.1', port: await freePort() }),
      );
      expect((await stage.ask(host)).status).toBe(502);
      await until('it is counted', async () => (await counted(host)).statuses[4] === 1, 2000);
      const { host: quiet, app } = await stage.deployed(() => undefined);
      const call = stage.request({ headers: { host: quiet } }).end();
      call.on('error', () => undefined);
      await until('it arrives', () => app.seen.length === 1, 2000);
      call.destroy();
      await until('who gave up is counted', async () => (await counted(quiet)).statuses[3] === 1, 2000);
      const { socket, received } = await stage.openUpgraded(quiet);
      socket.write('hello');
      await until('the echo', () => received() === 'hello', 2000);
      expect(await counted(quiet)).toMatchObject({ requests: 2, statuses: [1, 0, 0, 1, 0] });
      socket.end();
      await until('its bytes are counted', async () => (await counted(quiet)).bytesIn === 5, 2000);
      expect((await counted(quiet)).requests).toBe(2);
    });

    it('are returned from a given minute on', async () => {
      const { host } = await stage.deployed((_req, res) => res.end());
      await stage.ask(host);
      const now = Math.floor(Date.now() / 60_000);
      const { run, minutes } = await stage.edge.traffic(now - 1);
      expect(minutes.some(({ key }) => key === `${host}/production`)).toBe(true);
      expect(await stage.edge.traffic(now + 2)).toEqual({ run, minutes: [] });
    });
  });
}
