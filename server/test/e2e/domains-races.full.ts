import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { ask, askAllTheTime, begin, deploy, ended, ensureProject, json, nodeApp } from '../rig/deploy.ts';
import { type Killable, startKillable } from '../rig/killable.ts';
import { until } from '../rig/until.ts';

const rounds = 8;

describe('domains added and removed during releases', () => {
  let killable: Killable;
  let project: string;
  beforeAll(async () => {
    killable = await startKillable({ MOORING_ACME_DIRECTORY: 'none', MOORING_LOG_LEVEL: 'warn' });
    project = await ensureProject(killable.now, 'shop');
    await deploy(killable.now, project, nodeApp('v0'));
  });
  afterAll(() => killable?.now.stop());

  const at = (name = '') => `${killable.now.url}/api/projects/${project}/domains${name && `/${name}`}`;
  const call = (method: string, url: string, body?: object) =>
    fetch(url, {
      method,
      headers: { authorization: `Bearer ${ownerToken}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });

  it('lose no request, and route to the newest release', async () => {
    await call('POST', at(), { name: 'fixed.example.com' });
    const [url = ''] = (await json<{ data: { urls: string[] }[] }>(killable.now.get('/api/deployments'))).data[0]!.urls;
    const { port } = new URL(url);
    const asking = [`http://shop.localhost:${port}`, `http://fixed.example.com:${port}`].map((each) =>
      askAllTheTime(each, 2),
    );
    const changing = new AbortController();
    let changes = 0;
    const change = async () => {
      for (let i = 0; !changing.signal.aborted; i = (i + 1) % 5) {
        // The service may be unavailable, which does not count here.
        const name = `n${i}.example.com`;
        await call('POST', at(), { name }).then(
          () => changes++,
          () => {},
        );
        await sleep(40);
        await call('DELETE', at(name)).catch(() => {});
      }
    };
    const changed = change();
    for (let round = 1; round <= rounds; round++) {
      const id = await begin(killable.now, project, nodeApp(`v${round}`));
      if (round % 3 === 0) {
        await sleep(300 + round * 120);
        await killable.kill();
        await killable.start();
      }
      expect((await ended(killable.now, id)).status).toBe('ready');
      await until(
        `round ${round} answers`,
        async () => (await ask(`http://fixed.example.com:${port}`)).body === `v${round}`,
      );
    }
    changing.abort();
    await changed;
    for (const each of asking) {
      const answers = [...(await each.stop()).keys()];
      expect(answers.filter((answer) => !/^200 v\d+$/.test(answer))).toEqual([]);
    }
    expect(changes).toBeGreaterThan(20);
    // Remaining domains respond and the others do not, at the latest after an upkeep round.
    const { data } = await json<{ data: { name: string }[] }>(call('GET', at()));
    const left = new Set(data.map(({ name }) => name));
    await until(
      'the edge knows the names of now',
      async () => {
        for (let i = 0; i < 5; i++) {
          const { status } = await ask(`http://n${i}.example.com:${port}`);
          if ((status === 200) !== left.has(`n${i}.example.com`)) return false;
        }
        return true;
      },
      25_000,
    );
  }, 300_000);
});
