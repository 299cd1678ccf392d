import { execFile } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { newFolder } from '../rig/children.ts';
import { type Docker, startDocker } from '../rig/docker.ts';
import { makeImage, node, nodeForBuilds } from '../rig/docker-images.ts';
import { entering } from '../rig/docker-namespace.ts';
import { debianWithApt } from '../rig/language-images.ts';
import { has } from '../rig/parts.ts';
import { until } from '../rig/until.ts';
import { openWayOut, type WayOut } from '../rig/way-out.ts';

const checkout = resolve(import.meta.dirname, '../../..');

const stack = {
  services: {
    web: {
      image: node.name,
      command: ['node', '-e', "require('http').createServer((q, a) => a.end('hello')).listen(8080)"],
      ports: ['8080'],
    },
  },
};

describe.runIf(has('docker') && has('compose'))('the image of Mooring', () => {
  let docker: Docker;
  let wayOut: WayOut;
  let env: Record<string, string>;
  // Asynchronous, because the proxy for downloads runs in this process.
  const run = async (file: string, ...args: string[]) =>
    (await promisify(execFile)(file, args, { cwd: checkout, env, maxBuffer: 1 << 28 })).stdout;
  const program = async () => (await run(process.execPath, 'scripts/compose.mjs')).trim();
  /** On the engine's machine. */
  const there = (...command: string[]) => {
    const [file, ...args] = [...entering(docker.namespace), ...command];
    return run(file!, ...args);
  };

  beforeAll(async () => {
    docker = await startDocker();
    wayOut = await openWayOut(docker.namespace.gateway);
    const npm = nodeForBuilds();
    const apt = debianWithApt(wayOut.url);
    await makeImage(docker.client, {
      ...npm,
      ...apt,
      copies: { ...apt.copies, ...npm.copies },
      files: { ...apt.files, ...npm.files },
      links: npm.links!,
      changes: npm.changes!,
      name: 'node:24-bookworm-slim',
    });
    await makeImage(docker.client, node);
    const data = join(newFolder('machine-data'), 'mooring');
    mkdirSync(data);
    env = {
      PATH: process.env['PATH']!,
      HOME: newFolder('home'),
      DOCKER_HOST: docker.address,
      DOCKER_SOCKET: docker.address.slice('unix://'.length),
      MOORING_DATA_DIR: data,
    };
  }, 300_000);
  afterAll(async () => {
    wayOut?.close();
    await docker?.close();
  });

  it('is built, becomes healthy without root, and deploys an app that its edge reaches', async () => {
    const proxies = ['http_proxy', 'https_proxy'].flatMap((name) => ['--build-arg', `${name}=${wayOut.url}`]);
    env['DOCKER_BUILDKIT'] = '0';
    await run('docker', 'build', '--quiet', '--tag', 'mooring', ...proxies, '.');
    const override = join(newFolder('override'), 'compose.yaml');
    writeFileSync(
      override,
      JSON.stringify({ services: { mooring: { environment: { MOORING_ADMIN_TOKEN: ownerToken } } } }),
    );
    const compose = async (...args: string[]) =>
      run(await program(), '--project-name', 'mooring', '--file', 'compose.yaml', '--file', override, ...args);
    await compose('up', '--detach', '--no-build');
    const health = () => run('docker', 'inspect', '--format', '{{.State.Health.Status}}', 'mooring-mooring-1');
    await until('it is healthy', async () => (await health()) === 'healthy\n', 90_000);
    const processes = await run('docker', 'top', 'mooring-mooring-1', '-eo', 'pid,user,args');
    const service = processes.split('\n').find((line) => line.includes('main.js') && !line.includes('docker-init'))!;
    const { uid } = statSync(env['MOORING_DATA_DIR']!);
    expect(uid).not.toBe(0);
    expect(service).not.toMatch(/^\s*\d+ root /);

    const folder = newFolder('app');
    writeFileSync(join(folder, 'compose.yaml'), JSON.stringify(stack));
    const account = ['env', 'MOORING_URL=http://127.0.0.1:4600', `MOORING_TOKEN=${ownerToken}`];
    const cli = [process.execPath, join(checkout, 'cli/bin/mooring.mjs')];
    const said = await there(...account, ...cli, 'deploy', folder, '--yes', '--json');
    const name = new URL(/http:\/\/[a-z0-9.-]+localhost/.exec(said)![0]).hostname;
    const page = () => there('curl', '-sf', '-H', `Host: ${name}`, 'http://127.0.0.1/');
    expect(await until('the app responds', page)).toBe('hello');
    await compose('restart', 'mooring');
    expect(await until('the app responds again', page)).toBe('hello');
    expect(await compose('exec', '--no-TTY', 'mooring', 'mooring', 'backup', 'instance')).toContain('Backed up');
    await compose('down');
  }, 600_000);
});
