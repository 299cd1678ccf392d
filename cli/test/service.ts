import { spawnSync } from 'node:child_process';
import { type Service as RunningService, startService as start } from '../../server/test/rig/service.ts';

export const owner = { email: 'ada@example.com', password: 'correct-horse-1' };

export interface Service {
  url: string;
  dataDir: string;
  /** The output so far. */
  output(): string;
  stop(): Promise<unknown>;
}

export const account = {
  MOORING_ADMIN_EMAIL: owner.email,
  MOORING_ADMIN_PASSWORD: owner.password,
  MOORING_ADMIN_TOKEN: '',
};

/** Starts a real service with an owner, on a free port and its own data folder. */
export const startService = (env: Record<string, string> = {}): Promise<RunningService> =>
  start({ env: { ...account, MOORING_EDGE_PORT: '0', MOORING_EDGE_TLS_PORT: '0', ...env } });

/** Stops the service and the processes that outlive it: its edge and the supervisors of its apps. */
export async function stopWithApps(service: Service): Promise<void> {
  await service.stop();
  const { stdout } = spawnSync('pgrep', ['-f', service.dataDir], { encoding: 'utf8' });
  for (const pid of stdout.split('\n').filter(Boolean).map(Number))
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has already exited.
    }
}
