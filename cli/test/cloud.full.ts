import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownerToken } from '../../server/test/rig/app.ts';
import { nodeApp } from '../../server/test/rig/deploy.ts';
import { type DockerService, startDockerService } from '../../server/test/rig/docker-service.ts';
import { type GitServer, startGitServer } from '../../server/test/rig/git-server.ts';
import { has } from '../../server/test/rig/parts.ts';
import { Person } from './mooring.ts';
import { type Service, startService, stopWithApps } from './service.ts';

let cloud: DockerService;
let home: Service;
let git: GitServer;
const ada = new Person();
beforeAll(async () => {
  if (!has('docker')) return;
  git = await startGitServer();
  cloud = await startDockerService({ MOORING_MODE: 'cloud', MOORING_ALLOW_PRIVATE_TARGETS: 'all' });
  home = await startService();
  await ada.logIn(home.url);
}, 120_000);
afterAll(async () => {
  ada.leave();
  if (home) await stopWithApps(home);
  await cloud?.close();
  await git?.stop();
});

const containing = (text: string) => expect.stringContaining(text) as string;

test.runIf(has('docker'))(
  'a project is promoted to the cloud and brought home',
  async () => {
    git.push('shop', nodeApp('v1'), 'one');
    const source = { type: 'git', url: git.url('shop') };
    await ada.run(['api', '/api/projects', '-X', 'POST', '--data', JSON.stringify({ name: 'shop', source })]);
    expect(await ada.run(['cloud', 'status'])).toMatchObject({ code: 0, stdout: containing('Not linked to a cloud') });
    expect(await ada.run(['cloud', 'promote', 'shop'])).toMatchObject({
      code: 1,
      stderr: containing('mooring cloud link'),
    });
    expect(await ada.run(['cloud', 'link', cloud.service.url], { stdin: 'nonsense' })).toMatchObject({
      code: 1,
      stderr: containing('token'),
    });
    const linked = await ada.run(['cloud', 'link', cloud.service.url], { stdin: `${ownerToken}\n` });
    expect(linked).toMatchObject({ code: 0, stdout: containing('It answers. Projects there: 0.') });
    const login = { address: 'registry.example.com', username: 'ada', password: 'secret-of-ada' };
    await ada.run(['api', '/api/registries', '-X', 'POST', '--data', JSON.stringify(login)]);
    await ada.run(['domain', 'add', 'shop', 'www.example.com']);
    const promoted = await ada.run(['cloud', 'promote', 'shop']);
    expect(promoted.stderr).toContain('These domains still point here: www.example.com\n');
    expect(promoted.stderr).toMatch(/Registry logins stay here.*: registry\.example\.com\n/);
    await ada.run(['domain', 'remove', 'shop', 'www.example.com']);
    expect(promoted).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^http:\/\/shop\.localhost:\d+\n$/) as string,
      stderr: containing('in the cloud'),
    });
    expect(await ada.run(['logs', 'shop'])).toMatchObject({ code: 0, stdout: containing('listening, version v1') });
    expect(await ada.run(['cloud', 'unlink'])).toMatchObject({
      code: 1,
      stderr: containing('shop lives in the cloud'),
    });
    const back = await ada.run(['cloud', 'bring-home', 'shop']);
    expect(back).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^http:\/\/shop\.localhost:\d+\n$/) as string,
    });
    expect(back.stdout).not.toBe(promoted.stdout);
    expect(await ada.run(['cloud', 'bring-home', 'shop', '--remove'])).toMatchObject({
      code: 0,
      stdout: 'The cloud copy of shop is removed.\n',
    });
    expect(await ada.run(['cloud', 'promote', 'shop', '--detach'])).toMatchObject({ code: 0 });
    const again = await ada.run(['cloud', 'promote', 'shop', '--detach']);
    expect(again.stderr, 'it was there already').not.toContain('stay here');
    await ada.run(['cloud', 'bring-home', 'shop', '--no-deploy']);
    expect(await ada.run(['cloud', 'bring-home', 'shop', '--remove', '--abandon'])).toMatchObject({
      code: 0,
      stdout: 'The cloud copy of shop was given up.\n',
    });
    expect(await ada.run(['cloud', 'unlink'])).toMatchObject({ code: 0, stdout: containing('Revoke the token') });
  },
  180_000,
);
