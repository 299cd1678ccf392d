import { newFolder } from './children.ts';
import { json } from './deploy.ts';
import { freePort } from './ports.ts';
import { type Service, startService } from './service.ts';

/** A service with its own port and folder that can be killed and restarted in place. */
export interface Killable {
  readonly now: Service;
  readonly kills: number;
  kill(): Promise<void>;
  start(): Promise<Service>;
}

export async function startKillable(env: Record<string, string> = {}, dataDir = newFolder('data')): Promise<Killable> {
  const options = {
    dataDir,
    env: { MOORING_LOG_LEVEL: 'warn', PORT: String(await freePort()), ...env },
  };
  let now = await startService(options);
  let kills = 0;
  return {
    get now() {
      return now;
    },
    get kills() {
      return kills;
    },
    async kill() {
      await now.stop('SIGKILL');
    },
    async start() {
      kills++;
      return (now = await startService(options));
    },
  };
}

/** Approves every question of a deployment until stopped. */
export function approveAll(killable: Killable, id: string): { stop(): void } {
  type Build = { data: { prompt: object | null } };
  const look = async () => {
    const { data } = await json<Build>(killable.now.get(`/api/deployments/${id}/build`));
    if (data.prompt) await killable.now.post(`/api/deployments/${id}/build/respond`, { response: 'approve' });
  };
  // The service is unavailable at times; the next poll succeeds.
  const timer = setInterval(() => void look().catch(() => {}), 100);
  return { stop: () => clearInterval(timer) };
}
