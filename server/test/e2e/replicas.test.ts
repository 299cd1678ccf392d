import { afterAll, beforeAll } from 'vitest';
import { replicasContract } from '../rig/replicas.ts';
import { type Service, startService } from '../rig/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

replicasContract('process', () => ({ service }));
