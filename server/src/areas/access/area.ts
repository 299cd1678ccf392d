import type { Config } from '../../config.ts';
import type { Database } from '../../db/database.ts';
import type { Authenticator } from '../../http/authenticate.ts';
import type { Route } from '../../http/define-route.ts';
import { auditRoutes } from './audit/routes.ts';
import { AuditLog } from './audit/service.ts';
import { GrantTargets } from './grant-targets.ts';
import { Housekeeping } from './housekeeping.ts';
import { invitationRoutes } from './invitations/routes.ts';
import { Invitations } from './invitations/service.ts';
import { DashboardLinks } from './links.ts';
import { memberRoutes } from './members/routes.ts';
import { Members } from './members/service.ts';
import { organizationRoutes } from './organizations/routes.ts';
import { Organizations } from './organizations/service.ts';
import { passwordRoutes } from './passwords/routes.ts';
import { Passwords } from './passwords/service.ts';
import { SignInAttempts } from './sessions/attempts.ts';
import { createAuthenticator } from './sessions/authenticator.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { Sessions } from './sessions/service.ts';
import { setupRoutes } from './setup/routes.ts';
import { Setup } from './setup/service.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { Tokens } from './tokens/service.ts';
import { TokenUse } from './tokens/token-use.ts';

/** Access control: users, sessions, organizations, members, roles, tokens, audit log. */
export interface AccessArea {
  routes: Route[];
  authenticator: Authenticator;
  setup: Setup;
  links: DashboardLinks;
  /** Other areas register here what can be granted. */
  grantTargets: GrantTargets;
  stop(): Promise<void>;
}

export function createAccess(
  { db, accessVersion }: Pick<Database, 'db' | 'accessVersion'>,
  config: Config,
  warn: (message: string) => void,
): AccessArea {
  const sessions = new Sessions(db, new SignInAttempts(db), config.sessionDays);
  const organizations = new Organizations(db, config);
  const links = new DashboardLinks();
  const grantTargets = new GrantTargets();
  const setup = new Setup(db, sessions);
  const uses = new TokenUse(db, warn);
  const housekeeping = new Housekeeping(db, config.auditDays, warn);
  return {
    routes: [
      ...setupRoutes(setup),
      ...sessionRoutes(sessions, organizations),
      ...passwordRoutes(new Passwords(db, sessions), links),
      ...organizationRoutes(organizations),
      ...memberRoutes(new Members(db, grantTargets)),
      ...invitationRoutes(new Invitations(db, sessions, grantTargets), links),
      ...tokenRoutes(new Tokens(db)),
      ...auditRoutes(new AuditLog(db)),
    ],
    authenticator: createAuthenticator({ db, accessVersion, uses }),
    setup,
    links,
    grantTargets,
    async stop() {
      housekeeping.stop();
      await uses.stop();
    },
  };
}
