import type { Db } from '../../db/database.ts';
import type { GitHub } from '../../drivers/githost/github/github.ts';
import type { Route } from '../../http/define-route.ts';
import type { Sealer } from '../../lib/seal.ts';
import { GitHostSources } from './sources.ts';

/** The git host: how organizations reach it and what they see there. */
export interface GitHostArea {
  routes: Route[];
  sources: GitHostSources;
  stop(): Promise<void>;
}

type Options = { db: Db; sealer: Sealer; gitHost: GitHub };

export function createGitHost({ db, sealer, gitHost }: Options): GitHostArea {
  const sources = new GitHostSources({ db, sealer, gitHost, onLost: () => {} });
  return { routes: [], sources, stop: async () => gitHost.close() };
}
