import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { ask, begin, ended, ensureProject, events } from '../rig/deploy.ts';
import { type Docker, startDocker } from '../rig/docker.ts';
import { makeImage } from '../rig/docker-images.ts';
import { nodeBase, onEngine } from '../rig/docker-service.ts';
import { startAsOrdinaryUser } from '../rig/ordinary-user.ts';
import { has } from '../rig/parts.ts';
import { type Service, startService } from '../rig/service.ts';
import { openWayOut, type WayOut } from '../rig/way-out.ts';

const examples = join(import.meta.dirname, '../../../examples');

/** Trusts the machine's own certificate authority for the registry, if it has one. */
const trust = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name === 'NODE_EXTRA_CA_CERTS') as [string, string][],
);

const users = [
  ['root', startAsRoot],
  ['an ordinary user', startAsOrdinaryUser],
] as const;
const startable = users.filter(([name]) => name !== 'root' || process.getuid?.() === 0);

/** Uses a data folder of version 0.1.0, which closed `homes` to the users of projects. */
function startAsRoot(env: Record<string, string>): Promise<Service> {
  const dataDir = newFolder('data');
  mkdirSync(join(dataDir, 'homes'), { mode: 0o700 });
  return startService({ env, dataDir });
}

const beginExample = async (service: Service, name: string): Promise<string> =>
  begin(service, await ensureProject(service, name), join(examples, name));

/** Returns the response at the deployment's address, once it is ready. */
async function answerOf(service: Service, id: string): Promise<{ status: number; body: string }> {
  const { error, urls } = await ended(service, id, 100_000);
  const lines = error ? (await events(service, id)).map(({ data }) => data['line']).filter(Boolean) : [];
  expect(error, lines.slice(-30).join('\n')).toBeNull();
  return ask(urls[0]!);
}

/** Deploys both concurrently: most of the time they wait for the registry. */
function deploysBoth(start: () => Promise<Service>): void {
  let service: Service;
  let ids: { express: string; vite: string };
  beforeAll(async () => {
    service = await start();
    ids = { express: await beginExample(service, 'express-npm'), vite: await beginExample(service, 'vite-site') };
  });
  afterAll(() => service?.stop());

  it('installs an Express app with a lock file', async () => {
    const { status, body } = await answerOf(service, ids.express);
    expect(status).toBe(200);
    expect(body).toContain('Hello from Express');
  }, 120_000);

  it('builds a site with Vite', async () => {
    const { status, body } = await answerOf(service, ids.vite);
    expect(status).toBe(200);
    expect(body).toMatch(/assets\/index-[\w-]+\.js/);
  }, 120_000);
}

describe.each(startable)('dependencies from the registry, processes, the service as %s', (_name, start) => {
  let service: Service;
  deploysBoth(async () => (service = await start({ ...trust, MOORING_START_TIMEOUT: '20' })));

  it('stores the packages once per organization, not in the homes of its projects', () => {
    const folder = join(service.dataDir, 'packages');
    expect(readdirSync(folder), 'organizations').toHaveLength(1);
    expect(filesBelow(folder).filter((path) => path.includes('/sha512/')).length).toBeGreaterThan(60);
    expect(filesBelow(join(service.dataDir, 'homes')).filter((path) => path.includes('/content-v2/'))).toEqual([]);
  });
});

const filesBelow = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' });

describe.runIf(has('docker'))('dependencies from the registry, containers', () => {
  let docker: Docker;
  let wayOut: WayOut;
  beforeAll(async () => {
    docker = await startDocker();
    await makeImage(docker.client, nodeBase());
    wayOut = await openWayOut(docker.namespace.gateway);
    const socket = docker.address.replace('unix://', '');
    chmodSync(dirname(socket), 0o755);
    // As for members of its group.
    chmodSync(socket, 0o666);
  }, 120_000);
  afterAll(async () => {
    wayOut?.close();
    await docker?.close();
  });

  describe.each(startable)('the service as %s', (_name, start) => {
    deploysBoth(() => start({ ...onEngine(docker), HTTPS_PROXY: wayOut.url, MOORING_START_TIMEOUT: '20' }));
  });
});
