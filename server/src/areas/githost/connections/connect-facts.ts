import type { Db } from '../../../db/database.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { Caller } from '../../../http/caller.ts';
import { isOnlyOrganization } from '../../access/port.ts';
import { withDeadline } from '../deadline.ts';
import type { LentApps } from '../lent/service.ts';
import type { ConnectFacts, FactFinder } from './connect-table.ts';

/** How the instance is set up. */
export type SetUp = {
  db: Db;
  gitHost: GitHub;
  mode: 'self-hosted' | 'cloud';
  /** Whether people can be sent to where the app is installed. */
  hasApp: boolean;
  lent: LentApps;
  callMs: number;
};

/** Where we are, seen from whoever asks; `redirectUri` is undefined where a browser could not come back. */
export type Here = { origin: string; redirectUri: string | undefined };

const yes = (is: boolean) => (is ? 'yes' : 'no');

/** What the table of ways asks for. */
export function connectFacts(setUp: SetUp, caller: Caller, source: ConnectFacts['source'], here: Here): FactFinder {
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

/** Whether the host's program is on this machine, and somebody signed in with it. */
export async function checkHostProgram({
  gitHost: { program },
  callMs,
}: Pick<SetUp, 'gitHost' | 'callMs'>): Promise<{ version: string | undefined; isSignedIn: boolean }> {
  if (!program) return { version: undefined, isSignedIn: false };
  return withDeadline(callMs, async (signal) => {
    const version = await program.version({ signal });
    return { version, isSignedIn: version !== undefined && (await program.isSignedIn({ signal })) };
  });
}
