import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, begin, ended, ensureProject, events, folderOf } from '../rig/deploy.ts';
import { type DockerService, startDockerService } from '../rig/docker-service.ts';
import { type GitServer, startGitServer } from '../rig/git-server.ts';
import { has } from '../rig/parts.ts';

const program = (text: string) => `require('node:http').createServer((q, r) => r.end('${text}')).listen(3000)`;
const repository = (text: string) =>
  folderOf({
    'docker/Dockerfile': 'FROM node:22-slim\nCOPY server.js /\nCMD ["node", "/server.js"]\n',
    'docker/server.js': program(text),
  });

describe.runIf(has('docker'))('services that are built from git repositories', () => {
  let rig: DockerService;
  let git: GitServer;
  beforeAll(async () => {
    git = await startGitServer();
    rig = await startDockerService();
  }, 120_000);
  afterAll(async () => {
    await rig?.close();
    await git?.stop();
  }, 60_000);
  const deployed = async (name: string, fragment: string) => {
    const context = `${git.url('app')}${fragment}`;
    const compose = `services:\n  web:\n    build: ${JSON.stringify(context)}\n    ports: ["3000"]\n`;
    const id = await begin(rig.service, await ensureProject(rig.service, name), folderOf({ 'compose.yaml': compose }));
    return ended(rig.service, id);
  };
  const bodyOf = async ({ urls, error }: Awaited<ReturnType<typeof deployed>>) =>
    error ? JSON.stringify(error) : (await ask(urls[0]!, '/')).body;

  it('get the branch of now with every deployment, and log its commit', async () => {
    const first = git.push('app', repository('one'), 'First');
    const before = await deployed('branch', '#main:docker');
    expect(await bodyOf(before)).toBe('one');
    expect(JSON.stringify(await events(rig.service, before.id))).toContain(`At commit ${first.slice(0, 12)}: First`);
    git.push('app', repository('two'), 'Second');
    expect(await bodyOf(await deployed('branch', '#main:docker'))).toBe('two');
    expect(await bodyOf(await deployed('pinned', `#${first}:docker`))).toBe('one');
    execFileSync('git', ['tag', 'v1', first], { cwd: git.folder('app') });
    expect(await bodyOf(await deployed('tagged', '#v1:docker'))).toBe('one');
  }, 180_000);

  it('fail with the reason if the repository lacks the branch or leads elsewhere by a link', async () => {
    const missing = await deployed('missing', '#nothing:docker');
    expect(missing).toMatchObject({ status: 'failed', error: { code: 'source_failed' } });
    const linked = repository('three');
    symlinkSync('/etc', join(linked, 'outside'));
    git.push('app', linked, 'Link', 'linked');
    expect(await deployed('linked', '#linked:outside')).toMatchObject({ status: 'failed' });
  }, 120_000);
});
