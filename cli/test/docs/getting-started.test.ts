import { afterAll, beforeAll, describe } from 'vitest';
import { startService, type Service } from '../../../server/test/rig/service.ts';
import { freePort } from '../../../server/test/rig/ports.ts';
import { newFolder } from '../../../server/test/rig/children.ts';
import { join } from 'node:path';
import { runPage } from './page.ts';

const password = 'correct horse battery';

describe('getting started', () => {
  let service: Service;
  let edgePort: number;
  const prefix = newFolder('prefix');
  beforeAll(async () => {
    edgePort = await freePort();
    const env = {
      MOORING_ADMIN_EMAIL: 'ada@example.com',
      MOORING_ADMIN_PASSWORD: password,
      MOORING_RUNTIME: 'process',
    };
    service = await startService({ env: { ...env, MOORING_EDGE_PORT: String(edgePort) } });
  });
  afterAll(() => service?.stop());

  runPage('getting-started.md', () => ({
    folder: join(import.meta.dirname, '../../..'),
    values: [
      ['4600', new URL(service.url).port],
      ['4680', String(edgePort)],
    ],
    env: { npm_config_prefix: prefix },
    typed: { 'npm link --workspace cli': ['ada@example.com', password] },
    elsewhere: { 'npm start': 'server/test/e2e/fresh-clone.full.ts' },
  }));
});
