import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { project } from '../../../../test/rig/edge.ts';
import { freePort } from '../../../../test/rig/ports.ts';
import { newHostName, type EdgeStage } from './stage-rig.ts';

/** Behavior while an app does not listen. */
export function awayContract(stage: EdgeStage): void {
  describe('unreachable apps', () => {
    it('get requests of any method after a restart, as long as nothing was sent', async () => {
      const host = newHostName();
      const appPort = await freePort();
      await stage.edge.point(project(host, 'dep_restart', { type: 'upstream', host: '127.0.0.1', port: appPort }));
      const asked = Promise.all([
        stage.ask(host),
        stage.ask(host, '/', { method: 'POST', body: 'x'.repeat(200_000) }),
        stage.ask(host, '/', { method: 'PUT', body: 'small' }),
      ]);
      await sleep(300);
      await stage.app((req, res) => void req.resume().on('end', () => res.end('back')), appPort);
      for (const reply of await asked) expect(reply).toMatchObject({ status: 200, text: 'back' });
    });

    it('have their waiting requests sent to a new release', async () => {
      const host = newHostName();
      const gone = { type: 'upstream', host: '127.0.0.1', port: await freePort() } as const;
      await stage.edge.point(project(host, 'dep_gone', gone));
      const asked = stage.ask(host);
      await sleep(100);
      await stage.edge.point(project(host, 'dep_new', (await stage.app((_req, res) => res.end('new'))).target, 2));
      expect(await asked).toMatchObject({ status: 200, text: 'new' });
    });

    it('lead to a 502 after a few seconds that reveals nothing about the app', async () => {
      const host = newHostName();
      const appPort = await freePort();
      await stage.edge.point(project(host, 'dep_away', { type: 'upstream', host: '127.0.0.1', port: appPort }));
      const began = Date.now();
      const [page, json] = await Promise.all([
        stage.ask(host, '/<script>', { headers: { accept: 'text/html' } }),
        stage.ask(host, '/', { headers: { accept: 'application/json' } }),
      ]);
      expect(Date.now() - began).toBeLessThan(6000);
      expect(page.status).toBe(502);
      expect(page.text).not.toMatch(new RegExp(`${appPort}|127\\.0|ECONN|<script`));
      expect(JSON.parse(json.text)).toMatchObject({ success: false });
    });

    it('get retries of idempotent requests only', async () => {
      let times = 0;
      const { host } = await stage.deployed((req, res) => {
        times++;
        if (req.method === 'POST' || times === 1) req.socket.destroy();
        else res.end(`after ${times}`);
      });
      expect((await stage.ask(host)).text).toBe('after 2');
      times = 0;
      expect((await stage.ask(host, '/', { method: 'POST', body: 'pay' })).status).toBe(502);
      expect((await stage.ask(host, '/', { method: 'POST' })).status).toBe(502);
      expect(times).toBe(2);
    });
  });
}
