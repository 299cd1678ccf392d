import { afterAll, beforeAll, expect, test } from 'vitest';
import { folderOf } from '../../server/test/rig/deploy.ts';
import { installForOwner } from '../../server/test/rig/githost-install.ts';
import { appId } from '../../server/test/rig/githost-seed.ts';
import { type GitHostRig, startGitHost } from '../../server/test/rig/githost.ts';
import { Person } from './mooring.ts';
import { type Service, startService, stopWithApps } from './service.ts';

let service: Service;
let host: GitHostRig;
const ada = new Person();
beforeAll(async () => {
  host = await startGitHost();
  service = await startService({
    GITHOST_URL: host.webUrl,
    GITHOST_APP_ID: String(appId),
    GITHOST_APP_PRIVATE_KEY: host.appKey,
  });
  installForOwner(service.dataDir);
  await ada.logIn(service.url);
});
afterAll(async () => {
  ada.leave();
  await stopWithApps(service);
  await host.stop();
});

test('a project follows a repository, deploys from it, and stops following it', async () => {
  const head = host.git.push('team/shop', folderOf({ 'index.html': 'hello' }), 'one');
  await ada.run(['api', '/api/projects', '-X', 'POST', '--data', '{"name":"shop"}']);
  expect(await ada.run(['link', 'shop', 'team/shop'])).toMatchObject({
    code: 0,
    stdout: 'shop follows main of team/shop; Mooring polls it for pushes.\n',
  });
  expect(await ada.json(['link', 'shop', 'team/shop', '--branch', 'main'])).toMatchObject({ seenCommit: head });
  const deployed = await ada.run(['deploy', '--git', '--project', 'shop']);
  expect({ code: deployed.code, stdout: deployed.stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^http:\/\/shop\.localhost:\d+\n$/) as string,
  });
  expect(await ada.run(['link', 'shop', 'rivals/secret'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('repository not found') as string,
  });
  expect(await ada.run(['link', 'shop', 'shop'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('owner/repo') as string,
  });
  expect(await ada.run(['unlink', 'shop'])).toMatchObject({
    code: 0,
    stdout: 'shop is unlinked.\n',
  });
  expect((await ada.run(['unlink', 'shop'])).code).toBe(1);
});
