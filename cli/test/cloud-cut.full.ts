import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { events, json } from '../../server/test/rig/deploy.ts';
import { dockerApp } from '../../server/test/rig/docker-app.ts';
import { has } from '../../server/test/rig/parts.ts';
import { startTwoInstances, type TwoInstances } from '../../server/test/rig/two-instances.ts';
import { until } from '../../server/test/rig/until.ts';
import { Person } from './mooring.ts';
import { owner } from './service.ts';

const containing = (words: string) => expect.stringContaining(words) as string;

/** A person at a terminal, with projects in a cloud behind an unreliable connection. */
describe.runIf(has('docker'))('the command line with an unreliable cloud', () => {
  let two: TwoInstances;
  const ada = new Person();

  beforeAll(async () => {
    two = await startTwoInstances({
      home: { MOORING_ADMIN_EMAIL: owner.email, MOORING_ADMIN_PASSWORD: owner.password },
    });
    await two.link();
    await ada.logIn(two.home.now.url);
  }, 120_000);
  afterAll(async () => {
    ada.leave();
    await two?.close();
  }, 60_000);

  test('follows a promotion to its end despite broken connections and killed processes', async () => {
    const gates = Array.from({ length: 4 }, () => two.gates.newGate());
    const build = gates.map(({ wait }, i) => `echo part-${i}-begins; ${wait}; echo part-${i}-ends`).join('; ');
    await two.project('shop', dockerApp('v1', { scripts: { build } }));
    const following = ada.start(['cloud', 'promote', 'shop']);
    const printed = Promise.all([text(following.stdout!), text(following.stderr!)]);
    const code = new Promise((resolve) => following.once('close', resolve));
    for (const [i, gate] of gates.entries()) {
      await until(`part ${i}`, () => gate.isReached!(), 30_000);
      two.line.cutAll();
      for (const side of i === 1 ? [two.cloud] : i === 2 ? [two.home] : []) {
        await side.kill();
        await side.start();
      }
      gate.open();
    }
    expect(await code).toBe(0);
    const [stdout, stderr] = await printed;
    expect(stdout).toMatch(/^http:\/\/shop\.localhost:\d+\n$/);
    const said = await events(two.cloud.now, /Deployment (\w+), in the cloud/.exec(stderr)![1]!);
    // A build that was killed with the cloud restarts, and prints its output again.
    for (const [i] of gates.entries())
      for (const part of [`part-${i}-begins`, `part-${i}-ends`]) {
        const lines = said.filter(({ data }) => data['line'] === part).length;
        expect(lines, part).toBeGreaterThan(0);
        expect(stderr.match(new RegExp(`^.*(?<!echo )${part}$`, 'gm')), part).toHaveLength(lines);
      }
  }, 120_000);

  test('says that the cloud is unreachable, changes nothing, and works when it is back', async () => {
    two.git.push('shop', dockerApp('v2'), 'v2');
    expect(await ada.run(['redeploy', 'shop'])).toMatchObject({ code: 0 });
    // The command relies on the state that it has just read.
    expect(await ada.run(['rollback', 'shop'])).toMatchObject({ code: 0, stderr: containing('Rolling back to') });
    const [project] = (await json<{ data: { id: string }[] }>(two.home.now.get('/api/projects'))).data;
    await until('the list says the same', async () => {
      expect(await two.here(project!.id)).toEqual(await two.there(project!.id));
      return true;
    });
    await two.cloud.kill();
    const away = { code: 1, stderr: containing('cloud_unreachable: ') };
    for (const command of [['redeploy'], ['cloud', 'promote'], ['restart']])
      expect([command, await ada.run([...command, 'shop'])]).toEqual([command, expect.objectContaining(away)]);
    expect(await ada.run(['cloud', 'status'])).toMatchObject({ code: 1, stdout: containing('It does not respond') });
    expect(await ada.run(['deployments', '--project', 'shop'])).toMatchObject({ code: 0, stdout: containing('ready') });
    await two.cloud.start();
    for (const command of ['restart', 'redeploy']) {
      const outcome = await ada.run([command, 'shop']);
      expect(outcome.code, `${command}: ${outcome.stderr}`).toBe(0);
    }
  }, 120_000);
});
