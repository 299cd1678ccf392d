import { chownSync } from 'node:fs';
import { newFolder } from './children.ts';
import { type Service, startService } from './service.ts';

/** A uid without an account. */
const ordinary = 61_500;

/** The users that run the service, in tests that run as root. */
export const operators = ['root', 'an ordinary user'] as const;
export type Operator = (typeof operators)[number];

export interface Place {
  dataDir: string;
  home: string;
  uid: number;
  /** Starts the service on this data folder. */
  start(env?: Record<string, string>): Promise<Service>;
}

/** A data folder and a home for the operator. */
export function placeOf(operator: Operator): Place {
  const [dataDir, home] = [newFolder('data'), newFolder('home')];
  const uid = operator === 'root' ? 0 : ordinary;
  for (const folder of [dataDir, home]) chownSync(folder, uid, uid);
  const under = ['setpriv', '--reuid', String(uid), '--regid', String(uid), '--clear-groups', '--'];
  return {
    dataDir,
    home,
    uid,
    start: (env = {}) =>
      startService({ dataDir, env: { HOME: home, MOORING_LOG_LEVEL: 'warn', ...env }, ...(uid !== 0 && { under }) }),
  };
}
