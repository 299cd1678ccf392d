import { describe, expect, it } from 'vitest';
import { project } from '../../../../test/rig/edge.ts';
import { until } from '../../../../test/rig/until.ts';
import { type EdgeTarget, replicaKey } from '../edge.ts';
import { newHostName, type EdgeStage } from './stage-rig.ts';

/** Balancing requests over the replicas of an app. */
export function replicasContract(stage: EdgeStage): void {
  describe('replicas', () => {
    const three = (delayMs: (index: number) => number) =>
      Promise.all(
        [0, 1, 2].map((index) =>
          stage.app((_req, res) => void setTimeout(() => res.end(String(index)), delayMs(index))),
        ),
      );
    const targetOf = (apps: Awaited<ReturnType<typeof three>>): EdgeTarget => {
      const [first, ...others] = apps.map(({ target }) => target as Extract<EdgeTarget, { type: 'upstream' }>);
      return { ...first!, others: others.map(({ host, port }) => ({ host, port })) };
    };

    it('share requests, and busy ones get fewer', async () => {
      const [host, apps] = [newHostName(), await three((index) => (index === 0 ? 200 : 1))];
      await stage.edge.point(project(host, 'dep_replicas', targetOf(apps)));
      const lanes = Array.from({ length: 6 }, async () => {
        for (let i = 0; i < 20; i++) expect((await stage.ask(host)).status).toBe(200);
      });
      await Promise.all(lanes);
      const [slow = 0, ...fast] = apps.map(({ seen }) => seen.length);
      expect(slow).toBeGreaterThan(0);
      for (const each of fast) expect(each).toBeGreaterThan(2 * slow);
    });

    it('take over the requests of a replica that stops, so that none fails', { timeout: 60_000 }, async () => {
      const [host, apps] = [newHostName(), await three(() => 2)];
      await stage.edge.point(project(host, 'dep_ending', targetOf(apps)));
      const load = stage.startLoad(host, 8, ({ status, text }) => (status === 200 ? null : `${status} ${text}`));
      await until('some requests', () => load.requests() > 100, 10_000);
      await apps[1]!.close();
      const before = load.requests();
      await until('some more', () => load.requests() - before > 300, 20_000);
      await load.stop();
      expect(load.failures).toEqual([]);
    });

    it('can be drained individually', async () => {
      const [host, apps] = [newHostName(), await three(() => 400)];
      await stage.edge.point(project(host, 'dep_drained', targetOf(apps)));
      const asking: Promise<unknown>[] = [];
      // An edge of several processes may give a replica two before each has one.
      while (!apps.every(({ seen }) => seen.length)) {
        asking.push(stage.ask(host));
        await until('it arrives', () => apps.reduce((sum, { seen }) => sum + seen.length, 0) === asking.length, 5000);
      }
      const target = targetOf(apps) as Extract<EdgeTarget, { type: 'upstream' }>;
      const key = replicaKey('dep_drained', target.others![1]!);
      expect(await stage.edge.drain(key, 10)).toBe(apps[2]!.seen.length);
      expect(await stage.edge.drain(key, 5000)).toBe(0);
      await Promise.all(asking);
    });
  });
}
