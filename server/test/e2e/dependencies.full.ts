import { chmodSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { type Docker, startDocker } from '../rig/docker.ts';
import { makeImage } from '../rig/docker-images.ts';
import { nodeBase, onEngine } from '../rig/docker-service.ts';
import { has } from '../rig/parts.ts';
import { deploysBoth, startable, trust } from '../rig/registry-examples.ts';
import { openWayOut, type WayOut } from '../rig/way-out.ts';

describe.each(startable.slice(1))('dependencies from the registry, processes, the service as %s', (_name, start) =>
  deploysBoth(() => start({ ...trust, MOORING_START_TIMEOUT: '20' })),
);

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
