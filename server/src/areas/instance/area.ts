import type { Config } from '../../config.ts';
import type { Db } from '../../db/database.ts';
import type { Route } from '../../http/define-route.ts';
import type { Log } from '../../lib/log.ts';
import { updateRoutes } from './update/routes.ts';
import { Updates } from './update/service.ts';

/** The installation itself: updates. */
export interface InstanceArea {
  routes: Route[];
  start(): void;
  stop(): Promise<void>;
}

type Options = {
  db: Db;
  config: Config;
  version: string;
  /** With proxy settings. */
  environment: Record<string, string>;
  log: Log;
};

export function createInstance({
  db,
  config: { dataDir, updateUrl },
  version,
  environment,
  log,
}: Options): InstanceArea {
  const updates = new Updates({ db, version, dataDir, updateUrl, environment, log });
  return {
    routes: updateRoutes(updates),
    start: () => updates.start(),
    stop: () => updates.stop(),
  };
}
