import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { folderOf } from '../../../test/rig/deploy.ts';
import { startGitServer } from '../../../test/rig/git-server.ts';
import { GitError, gitEnvironment } from './git.ts';
import { withRestrictedGit } from './restricted-git.ts';
import type { OutboundReach } from '../outbound.ts';

/** Mocked DNS records; other names are resolved as usual. */
const names = vi.hoisted(() => new Map<string, string[]>());
vi.mock('node:dns/promises', async (original) => {
  const dns = await original<typeof import('node:dns/promises')>();
  const lookup = async (name: string, options: object) =>
    names.get(name)?.map((address) => ({ address, family: 4 })) ?? dns.lookup(name, options);
  return { ...dns, lookup };
});

const run = promisify(execFile);
const base = () => gitEnvironment();
const refusal = (url: string, reach: OutboundReach) =>
  withRestrictedGit(base(), url, reach, async () => 'git was started').catch((error: unknown) => error);
const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Runs `git ls-remote` in such an environment. Throws a GitError with its output. */
const lsRemote = (url: string, reach: OutboundReach, more: Record<string, string> = {}) =>
  withRestrictedGit({ ...base(), ...more }, url, reach, async (env) => {
    try {
      return (await run('git', ['ls-remote', '--', url], { env: { PATH: process.env['PATH']!, ...env } })).stdout;
    } catch (error) {
      throw new GitError((error as { stderr: string }).stderr);
    }
  });

async function listening(server: Server, host = '127.0.0.1'): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => void server.close());
  return server;
}

const redirecting = (to: string) =>
  listening(createServer(({ url }, response) => void response.writeHead(302, { location: `${to}${url}` }).end()));

describe('git within reach', () => {
  let secret = createServer();
  let asked = 0;
  beforeAll(async () => {
    secret = createServer((_, response) => {
      asked++;
      response.end('credentials of the machine');
    });
    await new Promise<void>((resolve) => secret.listen(0, '127.0.0.2', resolve));
  });
  afterAll(() => void secret.close());

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
  ])('does not connect to %s on a shared machine', async (url) => {
    expect(await refusal(url, 'public')).toBeInstanceOf(GitError);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data.git',
    'https://[::ffff:169.254.169.254]/a.git',
    'http://[64:ff9b::169.254.169.254]/a.git',
    'http://[2002:a9fe:a9fe::]/a.git',
    'http://2852039166/a.git',
    'http://0.0.0.0/a.git',
    'http://metadata.example/a.git',
    'https://metadata.example/a.git',
    'ssh://git@metadata.example/a.git',
    'ssh://git@2852039166/a.git',
    'git@metadata.example:a.git',
    'http://half.example/a.git',
  ])('never connects to a link-local address: %s', async (url) => {
    names.set('metadata.example', ['169.254.169.254']).set('half.example', ['127.0.0.1', '169.254.169.254']);
    for (const reach of ['public', 'private', ['169.254.0.0/16', '0.0.0.0/8']] as const) {
      const error = await refusal(url, reach);
      expect([reach, error]).toEqual([reach, expect.any(GitError)]);
      expect((error as GitError).message).toContain('is refused: ');
    }
  });

  it('does not follow a redirect to a link-local address', async () => {
    names.set('metadata.example', ['169.254.169.254']);
    for (const to of ['http://169.254.169.254', 'http://metadata.example', 'https://metadata.example']) {
      const url = `${addressOf(await redirecting(to))}/a/b.git`;
      await expect(lsRemote(url, 'private'), to).rejects.toThrow(/link-local and metadata addresses are never allowed/);
    }
  });

  it('does not follow a redirect out of its reach', async () => {
    const { port } = secret.address() as AddressInfo;
    const url = `${addressOf(await redirecting(`http://127.0.0.2:${port}`))}/a/b.git`;
    await expect(lsRemote(url, ['127.0.0.1/32'])).rejects.toThrow(/127\.0\.0\.2 is refused/);
    expect(asked).toBe(0);
    await lsRemote(url, 'private').catch(() => undefined);
    expect(asked, 'within reach it is followed').toBeGreaterThan(0);
  });

  it('follows an allowed redirect, as after a rename', async () => {
    const server = await startGitServer();
    onTestFinished(() => server.stop());
    const sha = server.push('new', folderOf({ 'index.html': 'hello' }), 'first');
    const old = await redirecting(server.url('new').replace(/\/new\.git$/, ''));
    for (const reach of ['private', ['127.0.0.0/8']] as const)
      expect(await lsRemote(`${addressOf(old)}/new.git`, reach)).toContain(sha);
  });

  it('connects to the address that was checked, even if the DNS record changes', async () => {
    const server = await startGitServer();
    onTestFinished(() => server.stop());
    const sha = server.push('pinned', folderOf({ 'index.html': 'hello' }), 'first');
    names.set('nowhere-else.example', ['127.0.0.1']);
    const url = server.url('pinned').replace('127.0.0.1', 'nowhere-else.example');
    // Git itself cannot resolve this name: only the checked address works.
    expect(await lsRemote(url, 'private', { no_proxy: '*' })).toContain(sha);
    const ssh = await withRestrictedGit(
      base(),
      'ssh://git@nowhere-else.example:2222/a/b.git',
      'private',
      async (env) => env,
    );
    const pinned = " -o HostName=127.0.0.1 -o 'HostKeyAlias=[nowhere-else.example]:2222'";
    expect(ssh['GIT_SSH_COMMAND']!.endsWith(pinned)).toBe(true);
    const short = await withRestrictedGit(base(), 'git@nowhere-else.example:a/b.git', 'private', async (env) => env);
    expect(short['GIT_SSH_COMMAND']).toContain("-o 'HostKeyAlias=nowhere-else.example'");
  });

  it("uses the operator's proxy, which knows more names, but for no link-local address", async () => {
    const server = await startGitServer();
    onTestFinished(() => server.stop());
    const sha = server.push('inner', folderOf({ 'index.html': 'hello' }), 'first');
    const { port } = new URL(server.url('inner'));
    const seen: string[] = [];
    const proxy = await listening(
      createServer(({ url, headers, method }, response) => {
        seen.push(`${method} ${url} ${headers['proxy-authorization']}`);
        response.writeHead(302, { location: 'http://169.254.169.254/a.git' }).end();
      }).on('connect', ({ url }, socket) => {
        seen.push(`CONNECT ${url}`);
        socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      }),
    );
    const operator = addressOf(proxy).replace('//', '//user:word@');
    const env = { http_proxy: operator, https_proxy: operator, no_proxy: '127.0.0.1' };
    expect(await lsRemote(`http://127.0.0.1:${port}/inner.git`, 'private', env)).toContain(sha);
    expect(seen).toEqual([]);
    await expect(lsRemote('http://known-to-the-proxy.invalid/a.git', 'private', env)).rejects.toThrow(/link-local/);
    await expect(lsRemote('https://known-to-the-proxy.invalid/a.git', 'private', env)).rejects.toThrow(/answered 502/);
    const proof = `Basic ${Buffer.from('user:word').toString('base64')}`;
    expect(seen).toEqual([
      `GET http://known-to-the-proxy.invalid/a.git/info/refs?service=git-upload-pack ${proof}`,
      'CONNECT known-to-the-proxy.invalid:443',
    ]);
  });

  it("requires the proxy's password", async () => {
    const answers: string[] = [];
    await withRestrictedGit(base(), 'http://127.0.0.1:1/a.git', 'private', async (env) => {
      const { port } = new URL(env['GIT_CONFIG_VALUE_0']!);
      for (const first of ['CONNECT 127.0.0.1:22 HTTP/1.1', 'GET http://127.0.0.1:22/ HTTP/1.1']) {
        const socket = connect(Number(port), '127.0.0.1');
        socket.write(`${first}\r\nhost: x\r\nconnection: close\r\nproxy-authorization: Basic Z2l0Og==\r\n\r\n`);
        let text = '';
        for await (const chunk of socket) text += String(chunk);
        answers.push(text.split('\r\n')[0]!);
      }
    });
    expect(answers).toEqual([
      'HTTP/1.1 407 Proxy Authentication Required',
      'HTTP/1.1 407 Proxy Authentication Required',
    ]);
  });

  it('leaves nothing listening', async () => {
    const port = await withRestrictedGit(base(), 'http://127.0.0.1:1/a.git', 'private', async (env) =>
      Number(new URL(env['GIT_CONFIG_VALUE_0']!).port),
    );
    const again = createTcpServer().listen(port, '127.0.0.1');
    await new Promise((resolve, reject) => again.once('listening', resolve).once('error', reject));
    again.close();
  });
});
