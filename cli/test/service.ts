import { startService as start } from '../../server/test/rig/service.ts';

export const owner = { email: 'ada@example.com', password: 'correct-horse-1' };

export interface Service {
  url: string;
  dataDir: string;
  stop(): Promise<unknown>;
}

/** A real service with an owner, on a free port and a data folder of its own. */
export const startService = (): Promise<Service> =>
  start({ env: { MOORING_ADMIN_EMAIL: owner.email, MOORING_ADMIN_PASSWORD: owner.password, MOORING_ADMIN_TOKEN: '' } });
