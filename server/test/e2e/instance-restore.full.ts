import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { ask, askAllTheTime, deploy, ensureProject, folderOf, nodeApp } from '../rig/deploy.ts';
import { dockerApp } from '../rig/docker-app.ts';
import { type Docker, startDocker } from '../rig/docker.ts';
import { makeImage, node } from '../rig/docker-images.ts';
import { onEngine } from '../rig/docker-service.ts';
import { runMaintenance } from '../rig/maintenance.ts';
import { has } from '../rig/parts.ts';
import { freePort } from '../rig/ports.ts';
import { type Service, startService } from '../rig/service.ts';
import { shop } from '../rig/stack.ts';
import { until } from '../rig/until.ts';

const fiveMinutes = 300_000;

describe.runIf(has('docker'))('a restored instance', () => {
  const engines: Docker[] = [];
  let service: Service;
  const newEngine = async (): Promise<Docker> => {
    const docker = await startDocker();
    engines.push(docker);
    // In place of a registry: builds and stacks start from it.
    await makeImage(docker.client, node);
    return docker;
  };
  let edgePort: string;
  beforeAll(async () => {
    edgePort = String(await freePort());
  });
  afterAll(async () => {
    await service?.stop();
    for (const docker of engines) await docker.close();
  });

  it('serves its process app, site, container and stack again on an empty machine', { timeout: 600_000 }, async () => {
    const env = { MOORING_EDGE_PORT: edgePort, MOORING_START_TIMEOUT: '30' };
    service = await startService({ env });
    const { dataDir } = service;
    const urls: Record<string, string> = {};
    const deployed = async (name: string, folder: string): Promise<void> => {
      const { status, error, urls: all } = await deploy(service, await ensureProject(service, name), folder);
      expect([name, status, error]).toEqual([name, 'ready', null]);
      urls[name] = all[0]!;
    };
    await deployed('process', nodeApp('a process'));
    await deployed('site', folderOf({ 'index.html': '<p>a site</p>' }));
    await service.stop('SIGTERM');
    service = await startService({ dataDir, env: { ...env, ...onEngine(await newEngine()) } });
    await deployed('container', dockerApp('a container'));
    await deployed('shop', shop());
    const expected = {
      process: 'a process',
      site: '<p>a site</p>',
      container: 'a container',
      shop: 'web v1 / 200 api v1 / 200 db v1 1',
    };
    const served = async (): Promise<Record<string, string>> =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(urls).map(async ([name, url]) => [
            name,
            await ask(url).then(
              ({ body }) => body.trim(),
              (error: Error) => error.message,
            ),
          ]),
        ),
      );
    expect(await served()).toEqual(expected);

    const visits = askAllTheTime(urls['process']!, 2);
    let writes = 0;
    const over = new AbortController();
    const writing = (async () => {
      for (; !over.signal.aborted; writes++) await ensureProject(service, `project-${writes}`);
    })();
    const backup = await runMaintenance<{ place: string }>({ MOORING_DATA_DIR: dataDir }, 'backup-instance');
    over.abort();
    await writing;
    expect([...(await visits.stop()).keys()]).toEqual(['200 a process']);
    expect(writes).toBeGreaterThan(0);

    const safe = newFolder('safe');
    copyFileSync(backup.place, join(safe, 'backup.age'));
    copyFileSync(join(dataDir, 'backup.key'), join(safe, 'backup.key'));
    await service.stop();
    await engines.pop()!.close();

    const fresh = newFolder('new-machine');
    const keyed = ['--key', join(safe, 'backup.key'), '--', join(safe, 'backup.age')];
    await runMaintenance({ MOORING_DATA_DIR: fresh }, 'restore-instance', ...keyed);
    service = await startService({ dataDir: fresh, env: { ...env, ...onEngine(await newEngine()) } });
    let seen = {};
    await until(
      'everything serves again',
      async () => JSON.stringify((seen = await served())) === JSON.stringify(expected),
      fiveMinutes,
    ).catch((error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(seen)}\n${service.output().slice(-3000)}`);
    });
  });
});
