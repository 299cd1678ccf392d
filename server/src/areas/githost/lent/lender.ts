import type { Db } from '../../../db/database.ts';
import { GitHostError } from '../../../drivers/githost/errors.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { Lender } from '../../../drivers/githost/github/lent-app.ts';
import { selectInstallation } from '../installations/store.ts';
import type { CloudGitHost } from './port.ts';

type Deps = { db: Db; gitHost: GitHub };

/** Returns the lender of an organization: tokens come from the cloud, installations from its last stored answer. */
export const createLender = ({ db, gitHost }: Deps, cloud: () => CloudGitHost, organizationId: string): Lender => ({
  mint: async (id, narrowing, signal) => cloud().mint(organizationId, id, narrowing, signal),
  async installation(id) {
    const row = await selectInstallation(db, organizationId, id);
    if (!row) throw new GitHostError('not_found', 'the app is no longer installed there');
    const { accountId, accountLogin: login, accountType, suspendedAt } = row;
    const webUrl = `${gitHost.addresses.webUrl}/${encodeURIComponent(login)}`;
    const account = { id: accountId, login, type: accountType, avatarUrl: null, webUrl };
    return { id, account, hasAllRepositories: false, suspendedAt };
  },
});
