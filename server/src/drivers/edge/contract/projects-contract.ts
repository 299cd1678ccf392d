import { StaleFenceError } from '../../stale-fence.ts';
import { describe, expect, it } from 'vitest';
import { project } from '../../../../test/rig/edge.ts';
import { newHostName, type EdgeStage } from './stage-rig.ts';

/** The projects that the edge stores. */
export function projectsContract(stage: EdgeStage): void {
  describe('projects', () => {
    it('reject an older fence and accept an equal one', async () => {
      const host = newHostName();
      const [one, two] = [
        await stage.app((_req, res) => res.end('one')),
        await stage.app((_req, res) => res.end('two')),
      ];
      await stage.edge.point(project(host, 'dep_1', one.target, 7));
      await expect(stage.edge.point(project(host, 'dep_2', two.target, 6))).rejects.toThrow(StaleFenceError);
      expect((await stage.ask(host)).text).toBe('one');
      await stage.edge.point(project(host, 'dep_1', one.target, 7));
      await stage.edge.point(project(host, 'dep_2', two.target, 8));
      expect((await stage.ask(host)).text).toBe('two');
    });

    it('are listed with their routes, and keep their fence after removal', async () => {
      const { host, app: mine } = await stage.deployed((_req, res) => res.end('mine'));
      const pointed = project(host, `dep_${host}`, mine.target);
      expect(await stage.edge.list()).toContainEqual(pointed);
      await stage.edge.remove(pointed.key);
      await stage.edge.remove(pointed.key);
      expect((await stage.ask(host)).status).toBe(404);
      expect((await stage.edge.list()).map(({ key }) => key)).not.toContain(pointed.key);
      await expect(stage.edge.point({ ...pointed, fence: 0 })).rejects.toThrow(StaleFenceError);
      await stage.edge.point({ ...pointed, fence: 1 });
      expect((await stage.ask(host)).text).toBe('mine');
    });

    it('cannot take the name of another project', async () => {
      const { host, app: mine } = await stage.deployed((_req, res) => res.end('mine'));
      await expect(stage.edge.point({ ...project(host, 'dep_thief', mine.target), key: 'thief' })).rejects.toThrow(
        host,
      );
      expect((await stage.ask(host)).text).toBe('mine');
      const [below] = project(host, 'dep_thief', mine.target).routes;
      const thief = { key: 'thief', fence: 1, routes: [{ ...below!, path: '/admin' }] };
      await expect(stage.edge.point(thief), 'not even below a path').rejects.toThrow(host);
    });
  });
}
