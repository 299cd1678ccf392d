import { describe, expect, it } from 'vitest';
import { project } from '../../../../test/rig/edge.ts';
import { freePort } from '../../../../test/rig/ports.ts';
import { until } from '../../../../test/rig/until.ts';
import { newHostName, type EdgeStage } from './stage-rig.ts';

/** Switching traffic from one release to the next. */
export function switchingContract(stage: EdgeStage): void {
  describe('switching', () => {
    it('loses no request and sends none to the previous release afterwards', { timeout: 60_000 }, async () => {
      const host = newHostName();
      let current = 0;
      const version = (number: number) =>
        stage.app((_req, res) => void setTimeout(() => res.end(String(number)), Math.random() * 5));
      let old = await version(0);
      await stage.edge.point(project(host, 'dep_0', old.target, 0));
      const load = stage.startLoad(host, 16, ({ status, text }) => (status === 200 ? null : `${status} ${text}`));
      // Half of the clients open a new connection each time, which takes ten times as long with TLS.
      const releases = stage.secure ? 5 : 20;
      for (let number = 1; number <= releases; number++) {
        const next = await version(number);
        await stage.edge.point(project(host, `dep_${number}`, next.target, number));
        current = number;
        const fresh = await Promise.all(Array.from({ length: 10 }, () => stage.ask(host)));
        expect(fresh.map(({ text }) => text)).toEqual(fresh.map(() => String(current)));
        expect(await stage.edge.drain(`dep_${number - 1}`, 5000)).toBe(0);
        const before = load.requests();
        const late = old.seen.length;
        await until('some hundred requests', () => load.requests() - before > 200, 10_000);
        expect(old.seen.length).toBe(late);
        await old.close();
        old = next;
      }
      await load.stop();
      expect(load.failures).toEqual([]);
      expect(load.requests()).toBeGreaterThan(releases * 200);
    });

    it('keeps upgraded connections open until they are drained', async () => {
      const { host } = await stage.deployed((_req, res) => res.end());
      const { socket, received } = await stage.openUpgraded(host);
      socket.write('before');
      await until('the echo', () => received() === 'before', 2000);
      const next = await stage.app((_req, res) => res.end('new'));
      await stage.edge.point(project(host, 'dep_next', next.target, 2));
      socket.write(' after');
      await until('the echo', () => received() === 'before after', 2000);
      expect((await stage.ask(host)).text).toBe('new');
      expect(await stage.edge.drain(`dep_${host}`, 100)).toBe(1);
      const drained = stage.edge.drain(`dep_${host}`, 5000);
      socket.end();
      expect(await drained).toBe(0);
    });

    it('responds to an upgrade request that no app accepts', async () => {
      await expect(stage.openUpgraded('nobody.localhost')).rejects.toThrow('HTTP/1.1 404');
      const host = newHostName();
      await stage.edge.point(project(host, 'dep_x', { type: 'upstream', host: '127.0.0.1', port: await freePort() }));
      await expect(stage.openUpgraded(host)).rejects.toThrow('HTTP/1.1 502');
      const { host: plain, app: refusing } = await stage.deployed((_req, res) => res.end('plain'));
      refusing.server.removeAllListeners('upgrade');
      await expect(stage.openUpgraded(plain)).rejects.toThrow(/HTTP\/1.1 200[^]*plain/);
      const offer = `GET / HTTP/1.1\r\nHost: ${plain}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n`;
      expect(await stage.sendRaw(`${offer}HTTP2-Settings: x\r\n\r\n`, 500, plain)).toMatch(/^HTTP\/1.1 200[^]*plain/);
      expect(refusing.seen.at(-1)!.headers['http2-settings']).toBeUndefined();
      expect(await stage.edge.drain(`dep_${plain}`, 1000)).toBe(0);
    });

    it('closes idle connections to a drained deployment', async () => {
      const [one, two] = await Promise.all([
        stage.deployed((_req, res) => res.end()),
        stage.deployed((_req, res) => res.end()),
      ]);
      await Promise.all([one, two].map(({ host }) => stage.ask(host)));
      const connections = () => new Promise<number>((resolve) => two.app.server.getConnections((_, n) => resolve(n)));
      expect(await connections()).toBe(1);
      await stage.edge.drain(`dep_${two.host}`, 1000);
      await until('it is closed', async () => (await connections()) === 0, 500);
    });

    it('waits for open requests when draining', async () => {
      const answers: (() => void)[] = [];
      const { host } = await stage.deployed((_req, res) => void answers.push(() => res.end('late')));
      const asked = stage.ask(host);
      await until('it arrives', () => answers.length === 1);
      const next = await stage.app((_req, res) => res.end('new'));
      await stage.edge.point(project(host, 'dep_n', next.target, 2));
      expect(await stage.edge.drain(`dep_${host}`, 100)).toBe(1);
      const drained = stage.edge.drain(`dep_${host}`, 5000);
      answers[0]!();
      expect((await asked).text).toBe('late');
      expect(await drained).toBe(0);
      expect(await stage.edge.drain('dep_unknown', 5000)).toBe(0);
    });
  });
}
