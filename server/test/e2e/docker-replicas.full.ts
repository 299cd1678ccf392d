import { afterAll, beforeAll, describe } from 'vitest';
import { type DockerService, startDockerService } from '../rig/docker-service.ts';
import { has } from '../rig/parts.ts';
import { replicasContract } from '../rig/replicas.ts';

describe.runIf(has('docker'))('in containers', () => {
  let rig: DockerService;
  beforeAll(async () => {
    rig = await startDockerService();
  });
  afterAll(() => rig?.close());
  replicasContract('docker', () => rig);
});
