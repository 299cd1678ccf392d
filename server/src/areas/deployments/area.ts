import type { DatabaseKind, Db } from '../../db/database.ts';
import { Broadcasts } from '../../events/broadcasts.ts';
import { EventLog } from '../../events/event-log.ts';
import type { Route } from '../../http/define-route.ts';
import type { Log } from '../../lib/log.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { FindServices } from '../domains/port.ts';
import type { GitHostArea } from '../githost/area.ts';
import { BackgroundTasks } from './upkeep/background-tasks.ts';
import { type CloudPort, noCloud } from './requests/cloud-port.ts';
import { isUnconfined } from './requests/confinement.ts';
import { Dispatcher } from './engine/dispatcher.ts';
import { createDomainSync } from './upkeep/domain-sync.ts';
import { convertOldApps } from './engine/convert-old-apps.ts';
import { reserveUncounted } from './upkeep/reserve-uncounted.ts';
import type { Machines } from './model/machines.ts';
import type { ProjectsPort } from './model/projects-port.ts';
import { MissedPushes } from './pushes/missed.ts';
import { Pushes } from './pushes/pushes.ts';
import { CommitStatuses } from './pushes/statuses.ts';
import { ProjectLeftovers } from './requests/project-leftovers.ts';
import { RemovalService } from './requests/removal.ts';
import { Restarts } from './upkeep/restart.ts';
import { collectionRoutes } from './requests/routes/collection.ts';
import { containerRoutes } from './requests/routes/containers.ts';
import { eventRoutes } from './requests/routes/events.ts';
import { lifecycleRoutes } from './requests/routes/lifecycle.ts';
import { prepareRoutes } from './requests/routes/prepare.ts';
import type { PrepareOptions } from './source/preparing.ts';
import { volumeRoutes } from './requests/routes/volumes.ts';
import { scaleRoutes } from './requests/routes/scale.ts';
import { Scaling } from './requests/scale.ts';
import { Volumes } from './requests/volumes.ts';
import { logRoutes } from './requests/routes/logs.ts';
import { Deployments } from './requests/service.ts';
import { OrganizationEvents } from './requests/organization-events.ts';
import { Previews } from './requests/preview.ts';
import { selectServicesOf } from './model/stack-store.ts';
import type { DeploymentRow } from './model/store.ts';
import { Upkeep } from './upkeep/upkeep.ts';
import { UpkeepOfServers } from './upkeep/servers.ts';
import { workerRoutes } from './workers/routes.ts';

type Options = {
  db: Db;
  /** For the upkeep of servers. */
  background: Db;
  kind: DatabaseKind;
  sealer: Sealer;
  log: Log;
  machines: Machines;
  projects: ProjectsPort;
  mode: 'self-hosted' | 'cloud';
  /** Identifies this replica, also after a restart, so that it resumes its leases at once. */
  owner: string;
  /** Whether other replicas cannot reach apps on this machine. */
  isBound: boolean;
  atOnce: number;
  prepare: PrepareOptions;
  gitHost: Pick<GitHostArea, 'sources' | 'webhooks'>;
  publicUrl: string | undefined;
  /** Poll interval for branches without a webhook. */
  pollMs: number;
  /** The hosted cloud, which deployments may also live in. Read when it is needed. */
  cloud?: () => CloudPort;
};

/** Builds, releases and everything that happens to them. */
export interface DeploymentsArea {
  routes: Route[];
  deployments: Deployments;
  removal: RemovalService;
  /** Starts the workers and resumes unfinished work. */
  start(): Promise<void>;
  /** Starts an upkeep round of this machine, or of a server, soon. */
  reconcileSoon(serverId?: string): void;
  /** Routes the changed domains of a project to its active release. */
  applyDomainChange(holder: { projectId: string; environment: string }): Promise<void>;
  /** Returns the services of the active releases, by environment. */
  servicesOf: FindServices;
  stop(): Promise<void>;
}

export function createDeployments({
  db,
  background,
  kind,
  sealer,
  log,
  machines,
  projects,
  mode,
  owner,
  isBound,
  atOnce,
  prepare,
  gitHost: { sources, webhooks },
  publicUrl,
  pollMs,
  cloud = () => noCloud(mode),
}: Options): DeploymentsArea {
  const { here } = machines;
  const events = new EventLog(db);
  const limits = { perReplica: atOnce, perOrganization: here.limits?.buildsAtOnce ?? null };
  const dispatcher = new Dispatcher({ db, kind, events, sealer, machines, log }, owner, limits);
  const look = () => dispatcher.look();
  const wake = (id: string) => dispatcher.wake(id);
  const deployments = new Deployments({
    db,
    events,
    sealer,
    projects,
    cloud,
    look,
    wake,
    owner,
    machine: isBound ? owner : null,
    mode,
    limits: here.limits,
    hasContainers: here.containers !== undefined,
    isUnconfined: () => isUnconfined(here),
    mayRun: mode !== 'cloud' || here.runtime.kind !== 'process',
  });
  const tasks = new BackgroundTasks({ db, owner, log });
  const restarts = new Restarts({ db, machines, sealer, log, tasks });
  const leftovers = new ProjectLeftovers({ db, machines, tasks, ended: (id) => dispatcher.ended(id) });
  const removal = new RemovalService({ db, machines, deployments, tasks, leftovers });
  const rebuild = (active: DeploymentRow) => deployments.rebuild(active);
  const upkeep = new Upkeep({ db, parts: here, sealer, log, owner, restarts, rebuild });
  const upkeepOfServers = new UpkeepOfServers({
    db: background,
    kind,
    machines,
    sealer,
    log,
    owner,
    restarts,
    rebuild,
  });
  const pushes = new Pushes({ db, sources, projects, deployments });
  const missed = new MissedPushes({ db, sources, pushes, log, pollMs });
  const reconcileSoon = (serverId?: string) =>
    serverId === undefined ? upkeep.soon() : upkeepOfServers.soon(serverId);
  const statuses = new CommitStatuses({ db, sources, log, publicUrl });
  webhooks.listen(pushes);
  return {
    routes: [
      ...collectionRoutes(deployments, new Previews({ db, sealer, machines }), mode, cloud),
      ...prepareRoutes(prepare, mode),
      ...logRoutes({
        deployments,
        broadcasts: new Broadcasts(events, (message) => log.warn(message)),
        db,
        machines,
      }),
      ...eventRoutes(new OrganizationEvents(db, (message) => log.warn(message))),
      ...lifecycleRoutes(deployments, removal),
      ...containerRoutes({ deployments, restarts, machines }),
      ...workerRoutes(db, kind),
      ...volumeRoutes(new Volumes({ db, sealer, projects, machines })),
      ...scaleRoutes(new Scaling({ db, sealer, projects, reconcileSoon, hasLimits: here.limits !== undefined })),
    ],
    deployments,
    removal,
    async start() {
      await convertOldApps({ db, sealer, log });
      await reserveUncounted({ db, sealer, parts: here }).catch((error: Error) =>
        log.error(`releases that started before limits were counted are not counted: ${error.message}`),
      );
      await upkeep.start();
      dispatcher.start();
      tasks.start();
      void restarts.finishThoseBefore(here);
      upkeepOfServers.start();
      statuses.start();
      webhooks.start();
      missed.start();
    },
    reconcileSoon,
    applyDomainChange: createDomainSync({ db, machines, sealer, log, owner }, () => upkeep.soon()),
    servicesOf: (organizationId, projectId) => selectServicesOf(db, organizationId, projectId),
    async stop() {
      const all = [upkeep, upkeepOfServers, dispatcher, tasks, webhooks, missed, statuses];
      await Promise.all(all.map((each) => each.stop()));
    },
  };
}
