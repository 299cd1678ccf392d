import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type Schemas, unwrap } from '@mooring/client';
import { Failure } from '../errors.ts';
import { retryWhileAway } from '../retry.ts';

type Source = Schemas['GitHostAccount']['source'];

const lookMs = 2000;
/** The lifetime of the URL. */
const longestMs = 600_000;

export const gitHostStatus = (client: Client) => retryWhileAway(() => unwrap(client.GET('/api/githost/status')));

/** The accounts reachable through a source, or through any. */
export async function accountsBy(client: Client, wanted: Source | undefined): Promise<string[]> {
  const { accounts } = await gitHostStatus(client);
  return accounts.flatMap(({ login, sources }) => (wanted === undefined || sources.includes(wanted) ? [login] : []));
}

/** Waits until the browser flow has completed: another account is reachable. */
export async function waitForBrowser(client: Client, wanted: Source | undefined, before: string[]): Promise<void> {
  const end = Date.now() + longestMs;
  while (Date.now() < end) {
    const now = await accountsBy(client, wanted);
    if (now.some((login) => !before.includes(login))) return;
    await sleep(lookMs);
  }
  throw new Failure('nothing was connected within ten minutes; run: mooring githost connect');
}

const endings: Record<string, string> = {
  denied: 'access was denied at the git host',
  expired: 'the code has expired; run: mooring githost connect',
  none: 'somebody disconnected the git host in the meantime',
};

/** Waits until the device code was entered at the git host. */
export async function waitForCode(client: Client, intervalSeconds: number): Promise<void> {
  for (let seconds = intervalSeconds; ;) {
    await sleep(seconds * 1000);
    const found = await retryWhileAway(() => unwrap(client.GET('/api/githost/connect/poll')));
    if (found.status === 'connected') return;
    if (found.status !== 'pending') throw new Failure(endings[found.status] ?? found.status);
    seconds = found.intervalSeconds ?? seconds;
  }
}
