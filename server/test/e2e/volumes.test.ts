import { afterAll, beforeAll } from 'vitest';
import { type Service, startService } from '../rig/service.ts';
import { volumesContract } from '../rig/volumes.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

volumesContract('process', () => ({ service }));
