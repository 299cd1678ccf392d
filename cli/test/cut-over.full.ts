import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownerToken } from '../../server/test/rig/app.ts';
import { web, worker } from '../../server/test/rig/cut-over.ts';
import { json } from '../../server/test/rig/deploy.ts';
import { makeImage, node } from '../../server/test/rig/docker-images.ts';
import { type DockerService, startDockerService } from '../../server/test/rig/docker-service.ts';
import { has } from '../../server/test/rig/parts.ts';
import { Person, Typist } from './mooring.ts';
import { account } from './service.ts';

/** On the service's own machine; for the command line a remote server is the same. */
describe.runIf(has('docker'))('a cut-over from the command line', () => {
  let rig: DockerService;
  const ada = new Person();
  beforeAll(async () => {
    rig = await startDockerService({ ...account, MOORING_ADMIN_TOKEN: ownerToken, MOORING_START_TIMEOUT: '20' });
    await makeImage(rig.docker.client, node);
    await ada.logIn(rig.service.url);
    await run('front', web(18_200, 'front-data'));
    // Ours has to be killed after its grace period, so that the undo takes a while.
    const { Cmd, ...mailer } = worker({ slowStopMs: 60_000 }) as { Cmd: [string, string, string] };
    const write =
      "const fs = require('fs'); fs.mkdirSync('/mail', { recursive: true }); fs.writeFileSync('/mail/box.db', 'x');";
    await run('mailer', { ...mailer, Cmd: ['node', '-e', write + Cmd[2]] });
    const server = await ada.json<{ id: string }>(['server', 'add', 'here', '--this-machine']);
    const body = { serverId: server.id, projectName: 'shop', serviceNames: ['front', 'mailer'] };
    await json(rig.service.post('/api/migration/adopt', body));
  }, 120_000);
  afterAll(async () => {
    await rig?.close();
    ada.leave();
  });

  async function run(name: string, body: object): Promise<void> {
    const { client } = rig.docker;
    const path = `/containers/create?name=${name}`;
    const { Id } = await client.json<{ Id: string }>({ method: 'POST', path, body: { Image: node.name, ...body } });
    await client.json({ method: 'POST', path: `/containers/${Id}/start` });
  }
  const runs = async (name: string) =>
    (await rig.docker.client.json<{ State: { Running: boolean } }>({ method: 'GET', path: `/containers/${name}/json` }))
      .State.Running;

  test('plan, cut-over, status, undo and confirm', async () => {
    await json(rig.service.post('/api/projects/ensure', { name: 'blog' }));
    const unadopted = await ada.run(['migrate', 'cut-over', 'blog']);
    expect([unadopted.code, unadopted.stderr]).toEqual([1, expect.stringContaining('was not adopted')]);
    const planned = await ada.run(['migrate', 'plan', 'shop']);
    expect(planned.stdout).toMatch(
      /front +replaced +previous version stopped first +takes over from the container front; they/,
    );
    expect(planned.stdout).toMatch(/mailer +replaced +without downtime +takes over from the container mailer\n/);
    const refused = await ada.run(['migrate', 'undo', 'shop']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('there is nothing to undo')]);
    const done = await ada.run(['migrate', 'cut-over', 'shop']);
    expect([done.code, done.stderr]).toEqual([0, expect.stringContaining('mooring migrate undo shop')]);
    expect([await runs('front'), await runs('mailer')]).toEqual([false, false]);
    const shown = await ada.run(['migrate', 'status', 'shop']);
    expect(shown.stdout).toMatch(/front +front +stopped, kept +no\n/);
    expect(shown.stderr).toContain('switched');
    const undone = await ada.run(['migrate', 'undo', 'shop']);
    expect(undone.stdout).toBe('Restored for shop: front, mailer.\n');
    expect(undone.stderr).toMatch(/^Short downtime: front stops before its original containers start, because/);
    expect(undone.stderr).toMatch(/\n✓ \w+ is restored \(2 of 2\)\n/);
    expect([await runs('front'), await runs('mailer')]).toEqual([true, true]);
    expect((await ada.run(['migrate', 'cut-over', 'shop'])).code).toBe(0);
    const lossy = await ada.run(['migrate', 'confirm', 'shop']);
    expect([lossy.code, lossy.stderr]).toEqual([
      1,
      expect.stringMatching(/the container mailer wrote 1 file \(box\.db\) under \/mail.* or repeat with force\n$/),
    ]);
    const typist = new Typist(ada, ['migrate', 'confirm', 'shop', '--force']);
    await typist.answer('Remove the original containers of shop? This cannot be undone.', 'n');
    expect([await typist.end(), await runs('mailer')]).toEqual([1, false]);
    const confirmed = await ada.json<{ removed: string[] }>(['migrate', 'confirm', 'shop', '--force', '--yes']);
    expect(confirmed.removed).toEqual(['front', 'mailer']);
    expect((await ada.run(['migrate', 'undo', 'shop'])).code).toBe(1);
    const again = await ada.run(['migrate', 'cut-over', 'shop']);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('mooring redeploy shop')]);
  }, 120_000);
});
