import type { DatabaseKind, Db } from '../../../db/database.ts';
import type { Route } from '../../../http/define-route.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { HostCalls } from '../repositories/host-calls.ts';
import type { GitHostSources } from '../sources.ts';
import { Deliveries } from './deliveries.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { DeliveryWorker } from './delivery-worker.ts';
import { hookRoutes } from './hook-routes.ts';
import { Hooks } from './hooks.ts';
import type { DeliveryForwarder, OnInstallation, PushListener } from './listener.ts';
import { Receiver } from './receiver.ts';

export type WebhookOptions = {
  db: Db;
  kind: DatabaseKind;
  sealer: Sealer;
  log: Log;
  calls: HostCalls;
  sources: Pick<GitHostSources, 'sees'>;
  /** Identifies this replica, also after a restart. */
  owner: string;
  publicUrl: string | undefined;
  /** Web URL of the git host. */
  hostUrl: string;
  /** Webhook secret of the app. */
  appSecret: string | undefined;
  refusalLimit: number;
  onInstallation: OnInstallation;
};

/** Webhooks of the git host: registration, reception and handling. */
export interface Webhooks {
  routes: Route[];
  listen(listener: PushListener): void;
  handOn(handover: DeliveryForwarder): void;
  /** Accepts a delivery that was forwarded for an organization. */
  take: Receiver['take'];
  start(): void;
  stop(): Promise<void>;
}

export function createWebhooks(options: WebhookOptions): Webhooks {
  const { db, kind, sealer, log, calls, owner, publicUrl, hostUrl, appSecret, refusalLimit } = options;
  let current: PushListener | undefined;
  const listener = () => current;
  let given: DeliveryForwarder | undefined;
  const handover = () => given;
  const hooks = new Hooks({ db, sealer, calls, publicUrl, hostUrl, listener });
  const { sources, onInstallation } = options;
  const worker = new DeliveryWorker({ db, kind, owner, log, listener, handover, sources, onInstallation });
  const wake = () => worker.soon();
  const receiver = new Receiver({ db, hooks, appSecret, listener, handover, refusalLimit, onReceived: wake });
  return {
    routes: [...hookRoutes(hooks), ...deliveryRoutes(new Deliveries(db, wake), receiver)],
    listen: (added) => void (current = added),
    handOn: (added) => void (given = added),
    take: (organizationId, event, named) => receiver.take(organizationId, event, named),
    start: () => worker.start(),
    stop: () => worker.stop(),
  };
}
