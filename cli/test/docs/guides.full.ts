import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe } from 'vitest';
import { newFolder } from '../../../server/test/rig/children.ts';
import { freePort } from '../../../server/test/rig/ports.ts';
import { type Service, startService } from '../../../server/test/rig/service.ts';
import { ownerToken } from '../../../server/test/rig/app.ts';
import { runPage } from './page.ts';

/** One service for all pages that need no other part. */
describe('guides on processes', () => {
  let service: Service;
  let edgePort: string;
  const backups = newFolder('backups');
  beforeAll(async () => {
    edgePort = String(await freePort());
    const env = { BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: backups };
    service = await startService({ env: { MOORING_RUNTIME: 'process', MOORING_EDGE_PORT: edgePort, ...env } });
  });
  afterAll(() => service?.stop());
  const stage = () => ({
    values: [
      ['4680', edgePort],
      ['/srv/backups', backups],
    ] as [string, string][],
    env: { MOORING_URL: service.url, MOORING_TOKEN: ownerToken },
    before: { 'mooring services counter': () => sleep(5000) },
  });
  for (const page of ['apps', 'volumes', 'backups', 'replicas']) runPage(`guides/${page}.md`, stage);
});
