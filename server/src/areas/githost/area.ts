import type { Db } from '../../db/database.ts';
import type { GitHub } from '../../drivers/githost/github/github.ts';
import type { Route } from '../../http/define-route.ts';
import type { Sealer } from '../../lib/seal.ts';
import { GitHostSources } from './sources.ts';
import { followInstallations } from './webhooks/installations.ts';
import { createWebhooks, type WebhookOptions, type Webhooks } from './webhooks/webhooks.ts';

/** The git host: how organizations reach it and what they see there. */
export interface GitHostArea {
  routes: Route[];
  sources: GitHostSources;
  webhooks: Webhooks;
  stop(): Promise<void>;
}

type Options = { db: Db; sealer: Sealer; gitHost: GitHub } & Omit<
  WebhookOptions,
  'sources' | 'hostUrl' | 'onInstallation'
>;

export function createGitHost(options: Options): GitHostArea {
  const { db, sealer, gitHost } = options;
  const sources = new GitHostSources({ db, sealer, gitHost, onLost: () => {} });
  const webhooks = createWebhooks({
    ...options,
    sources,
    hostUrl: gitHost.addresses.webUrl,
    onInstallation: followInstallations(db),
  });
  return {
    routes: [...webhooks.routes],
    sources,
    webhooks,
    async stop() {
      await webhooks.stop();
      gitHost.close();
    },
  };
}
