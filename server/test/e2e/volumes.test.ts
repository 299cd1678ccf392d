import { afterAll, beforeAll, describe } from 'vitest';
import { type DockerService, startDockerService } from '../rig/docker-service.ts';
import { has } from '../rig/parts.ts';
import { type Service, startService } from '../rig/service.ts';
import { volumesContract } from '../rig/volumes.ts';

describe('as processes', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service?.stop());
  volumesContract('process', () => ({ service }));
});

describe.runIf(has('docker'))('in containers', () => {
  let rig: DockerService;
  beforeAll(async () => {
    rig = await startDockerService();
  });
  afterAll(() => rig?.close());
  volumesContract('docker', () => rig);
});
