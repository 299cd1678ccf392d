import type { Config } from '../../config.ts';
import type { DatabaseKind, Db } from '../../db/database.ts';
import type { GitHub } from '../../drivers/githost/github/github.ts';
import type { Route } from '../../http/define-route.ts';
import type { Log } from '../../lib/log.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { ConnectForLinked } from './connections/connect-for-linked.ts';
import { createConnections, type GitHostConfig } from './connections/parts.ts';
import { connectionRoutes } from './connections/routes.ts';
import { GitHostHousekeeping } from './housekeeping.ts';
import { Installations } from './installations/service.ts';
import type { CloudGitHost } from './lent/port.ts';
import { LentApps } from './lent/service.ts';
import { RepositoryChanges } from './repositories/changes.ts';
import { CloneTokens } from './repositories/clone-tokens.ts';
import { HostCalls } from './repositories/host-calls.ts';
import { repositoryRoutes } from './repositories/routes.ts';
import { Repositories } from './repositories/service.ts';
import { GitHostSources } from './sources.ts';
import { createWebhooks, type Webhooks } from './webhooks/webhooks.ts';

/** The git host: connections, repositories and webhooks. */
export interface GitHostArea {
  routes: Route[];
  sources: GitHostSources;
  /** Follows installation events of the app. */
  installations: Installations;
  webhooks: Webhooks;
  /** The cloud's app, for instances without one of their own. */
  lent: LentApps;
  /** Cloud mode: shares the cloud's app with linked instances. */
  forLinked: ConnectForLinked;
  driver: GitHub;
  housekeeping: GitHostHousekeeping;
  stop(): Promise<void>;
}

type Options = {
  db: Db;
  kind: DatabaseKind;
  config: GitHostConfig & Pick<Config, 'githostWebhookSecret' | 'anonymousRequestLimit'>;
  sealer: Sealer;
  gitHost: GitHub;
  /** The linked cloud; undefined if this instance is one. */
  cloud: () => CloudGitHost | undefined;
  /** Identifies this replica, also after a restart. */
  owner: string;
  log: Log;
};

export function createGitHost(options: Options): GitHostArea {
  const { db, config, sealer, gitHost, log } = options;
  const warn = (message: string) => log.warn(message);
  const callMs = config.githostTimeout * 1000;
  const lent = new LentApps({ db, gitHost, cloud: options.cloud });
  const installations = new Installations({ db, gitHost, lent, warn });
  const onChanged = (id: number) => installations.noticed(id);
  const sources = new GitHostSources({ db, sealer, gitHost, lent, onChanged, callMs });
  const cloneTokens = new CloneTokens({ db, sealer, gitHost, callMs, warn });
  const calls = new HostCalls({ sources, callMs });
  const repositories = new Repositories({ sources, calls, cloneTokens, callMs });
  const base = { db, config, sealer, gitHost, warn, callMs, lent };
  const connections = createConnections({ ...base, installations, sources, cloneTokens, repositories });
  const housekeeping = new GitHostHousekeeping({ db, cloneTokens, warn });
  const webhooks = createWebhooks({
    ...options,
    calls,
    sources,
    publicUrl: config.publicUrl,
    hostUrl: gitHost.addresses.webUrl,
    appSecret: config.githostWebhookSecret,
    refusalLimit: config.anonymousRequestLimit,
    // An event forwarded by the cloud applies only to this organization: installation ids of different apps may be
    // equal.
    onInstallation: (event, id) => (gitHost.app ? installations.follow(event) : lent.follow(id)),
  });
  return {
    routes: [
      ...connectionRoutes(connections),
      ...repositoryRoutes(repositories, new RepositoryChanges({ db, calls })),
      ...webhooks.routes,
    ],
    sources,
    installations,
    webhooks,
    lent,
    forLinked: connections.forLinked,
    driver: gitHost,
    housekeeping,
    async stop() {
      await webhooks.stop();
      await housekeeping.stop();
      await gitHost.close();
    },
  };
}
