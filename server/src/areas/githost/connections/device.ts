import type { Db } from '../../../db/database.ts';
import type { GithostSignInTable } from '../../../db/tables.ts';
import type { DeviceFlow, DevicePoll } from '../../../drivers/githost/github/device-flow.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { withDeadline } from '../deadline.ts';
import { withGitHostErrors } from '../refusals.ts';
import type { SignInFinish } from './sign-in-finish.ts';
import { selectDeviceSignIn, settleSignIn, claimPoll, updatePace } from './sign-in-store.ts';
import { signInSecretLocation } from './sign-ins.ts';

type Options = { db: Db; sealer: Sealer; gitHost: GitHub; finish: SignInFinish; callMs: number };

/** Status of a device login. */
export type DeviceStatus =
  | { status: 'none' }
  | { status: 'connected' | 'expired' | 'denied' }
  | ({ status: 'pending' } & Pick<DeviceFlow, 'userCode' | 'verificationUri' | 'expiresAt' | 'intervalMs'>);

/** Polls the git host for device logins, no faster than it allows. */
export class DeviceSignIns {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Polls the caller's latest device login. Calls between two polls get the last known status. */
  async poll(caller: Caller): Promise<DeviceStatus> {
    const { db } = this.#options;
    const row = await selectDeviceSignIn(db, caller.organization.id, caller.userId);
    if (!row) return { status: 'none' };
    if (row.outcome) return { status: row.outcome as 'connected' };
    if (row.expiresAt <= Date.now()) return { status: 'expired' };
    if (!(await claimPoll(db, row, Date.now()))) return pending(row);
    return this.#look(row, caller.ip);
  }

  async #look(row: GithostSignInTable, ip: string): Promise<DeviceStatus> {
    const { db, sealer, gitHost, callMs } = this.#options;
    const { organizationId, id, intervalMs, expiresAt } = row;
    const flow = { deviceCode: sealer.open(row.secret!, signInSecretLocation(id)), intervalMs: intervalMs!, expiresAt };
    return withGitHostErrors(() =>
      withDeadline(callMs, async (signal) => {
        const found = await gitHost.deviceFlow!.poll(flow, { signal });
        if (found.status === 'pending') {
          const { intervalMs } = found;
          // Only if the git host slows us down; otherwise the claimed poll already set the next time.
          if (intervalMs !== flow.intervalMs)
            await updatePace(db, organizationId, id, intervalMs, Date.now() + intervalMs);
          return pending({ ...row, intervalMs });
        }
        return this.#end(row, found, ip, signal);
      }),
    );
  }

  async #end(
    row: GithostSignInTable,
    found: Exclude<DevicePoll, { status: 'pending' }>,
    ip: string,
    signal: AbortSignal,
  ): Promise<DeviceStatus> {
    const { db, finish } = this.#options;
    const { organizationId, id } = row;
    if (found.status !== 'done') {
      await settleSignIn(db, organizationId, id, found.status);
      return { status: found.status };
    }
    try {
      await finish.keep(row, found.tokens, ip, signal, (trx) => settleSignIn(trx, organizationId, id, 'connected'));
      return { status: 'connected' };
    } catch (error) {
      // The git host has used up the code, so retrying is useless.
      await settleSignIn(db, organizationId, id, 'expired');
      throw error;
    }
  }
}

const pending = (row: GithostSignInTable): DeviceStatus => ({
  status: 'pending',
  userCode: row.userCode!,
  verificationUri: row.verificationUri!,
  expiresAt: row.expiresAt,
  intervalMs: row.intervalMs!,
});
