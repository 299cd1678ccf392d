import type { Db } from '../../../db/database.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { Caller } from '../../../http/caller.ts';
import { isOnlyOrganization } from '../../access/port.ts';
import { withDeadline } from '../deadline.ts';
import type { LentApps } from '../lent/service.ts';
import type { ConnectFacts, FactFinder } from './connect-table.ts';

/** How the instance is configured. */
export type ConnectSetup = {
  db: Db;
  gitHost: GitHub;
  mode: 'self-hosted' | 'cloud';
  /** Whether users can be sent to install the app. */
  hasApp: boolean;
  lent: LentApps;
  callMs: number;
};

/** Our own origin as the client sees it; `redirectUri` is undefined if a browser could not be redirected back. */
export type CallbackOrigin = { origin: string; redirectUri: string | undefined };

const yes = (is: boolean) => (is ? 'yes' : 'no');

/** Finds the facts that the table of connect methods needs. */
export function connectFacts(
  setUp: ConnectSetup,
  caller: Caller,
  source: ConnectFacts['source'],
  here: CallbackOrigin,
): FactFinder {
  const { db, gitHost, mode, hasApp, lent } = setUp;
  return {
    source: () => source,
    mode: () => mode,
    app: () => yes(hasApp),
    client: () => (!gitHost.oauth ? 'none' : gitHost.oauth.hasSecret ? 'secret' : 'id'),
    redirect: () => yes(here.redirectUri !== undefined),
    owner: () => yes(caller.isInstanceOwner),
    alone: async () => yes(await isOnlyOrganization(db)),
    cloud: async () => yes(await lent.isOpen(caller.organization.id)),
    async gh() {
      const { version, isSignedIn } = await checkHostProgram(setUp);
      return version === undefined ? 'missing' : isSignedIn ? 'signed_in' : 'signed_out';
    },
  };
}

/** Returns the version of `gh` on this machine, and whether it is signed in. */
export async function checkHostProgram({
  gitHost: { program },
  callMs,
}: Pick<ConnectSetup, 'gitHost' | 'callMs'>): Promise<{ version: string | undefined; isSignedIn: boolean }> {
  if (!program) return { version: undefined, isSignedIn: false };
  return withDeadline(callMs, async (signal) => {
    const version = await program.version({ signal });
    return { version, isSignedIn: version !== undefined && (await program.isSignedIn({ signal })) };
  });
}
