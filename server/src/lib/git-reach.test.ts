import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../../test/rig/children.ts';
import { GitError, gitEnvironment } from './git.ts';
import { withinReach } from './git-reach.ts';
import type { Reach } from './outbound.ts';

const run = promisify(execFile);
const base = () => gitEnvironment(newFolder('home'));
const refusal = (url: string, reach: Reach) => withinReach(base(), url, reach).catch((error: unknown) => error);

describe('git within reach', () => {
  let [front, secret]: [Server, Server] = [createServer(), createServer()];
  let asked = 0;
  beforeAll(async () => {
    secret = createServer((_, response) => {
      asked++;
      response.end('credentials of the machine');
    });
    await new Promise<void>((resolve) => secret.listen(0, '127.0.0.2', resolve));
    const { port } = secret.address() as AddressInfo;
    front = createServer((request, response) => {
      response.writeHead(302, { location: `http://127.0.0.2:${port}${request.url}` }).end();
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    front.close();
    secret.close();
  });

  it.each([
    'http://127.0.0.1/a/b.git',
    'http://localhost:4600/a/b.git',
    'https://2130706433/a/b.git',
    'http://0x7f.1/a/b.git',
    'http://[::1]/a/b.git',
    'http://[::ffff:10.0.0.1]/a/b.git',
    'http://10.1.2.3/a/b.git',
    'ssh://git@192.168.1.1:5432/a/b.git',
    'ssh://2130706433/a/b.git',
    'git@127.0.0.1:a/b.git',
    'git@localhost:a/b.git',
  ])('does not go to %s where others share the machine', async (url) => {
    expect(await refusal(url, 'public')).toBeInstanceOf(GitError);
  });

  it('goes to no metadata service, whoever asks', async () => {
    for (const reach of ['public', 'private', ['169.254.0.0/16']] as const)
      expect(await refusal('http://169.254.169.254/latest/meta-data.git', reach)).toBeInstanceOf(GitError);
  });

  it('is sent nowhere else by an answer', async () => {
    const { port } = front.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/a/b.git`;
    const ask = async (env: Record<string, string>) =>
      run('git', ['ls-remote', '--', url], { env: { PATH: process.env['PATH']!, ...env } }).catch(() => undefined);
    await ask(await withinReach(base(), url, ['127.0.0.1/32']));
    expect(asked).toBe(0);
    await ask(base());
    expect(asked, 'unbound it follows').toBeGreaterThan(0);
  });

  it('goes to the address that was checked', async () => {
    const reach = ['127.0.0.0/8', '::1'];
    const env = await withinReach(base(), 'http://localhost:8080/a/b.git', reach);
    expect(Object.values(env)).toContainEqual(expect.stringMatching(/^localhost:8080:(127\.0\.0\.1|\[::1\])/));
    const ssh = await withinReach(base(), 'git@localhost:a/b.git', reach);
    expect(ssh['GIT_SSH_COMMAND']).toMatch(/ -o HostName=(127\.0\.0\.1|::1) -o HostKeyAlias=localhost$/);
  });
});
