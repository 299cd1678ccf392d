import { type Config, organizationLimitsOf, outboundReachOf } from '../../config.ts';
import type { Db } from '../../db/database.ts';
import type { ProjectTable } from '../../db/tables.ts';
import { CloudClient } from '../../drivers/cloud/cloud-client.ts';
import { badRequest } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import type { Route } from '../../http/define-route.ts';
import type { RemoteInstance } from '../../http/forwarding.ts';
import type { Log } from '../../lib/log.ts';
import { PeriodicTask } from '../../lib/periodic-task.ts';
import type { Sealer } from '../../lib/seal.ts';
import { type CloudPort, type Deployments, noCloud } from '../deployments/port.ts';
import type { GitHostArea } from '../githost/area.ts';
import type { CloudGitHost } from '../githost/port.ts';
import type { ProjectsArea } from '../projects/area.ts';
import { type DeleteOptions, selectCloudProjects, type UrlsOf } from '../projects/port.ts';
import { LastSeenDeployments } from './deployments/last-seen.ts';
import { CloudRefresh } from './deployments/refresh.ts';
import { Forwarding } from './forwarding/forward.ts';
import { BorrowedGitHostApp } from './githost/borrowing.ts';
import { GitHostAppLending } from './githost/lending.ts';
import { DeliveryPulls } from './githost/pulls.ts';
import { DeliveryQueue } from './githost/queue.ts';
import { lendingRoutes } from './githost/routes.ts';
import { hostedRoutes } from './hosted/routes.ts';
import { HostedProjects } from './hosted/service.ts';
import { limitRoutes } from './limits/routes.ts';
import { cloudLinkRoutes } from './link/routes.ts';
import { CloudLinks } from './link/service.ts';
import { BringHome } from './promotion/bring-home.ts';
import { Promotion } from './promotion/promote.ts';
import { promotionRoutes } from './promotion/routes.ts';

/** The hosted cloud: linking to one, and being one. */
export interface CloudArea {
  routes: Route[];
  port: CloudPort;
  /** The cloud's git host app for linked organizations; undefined in cloud mode. */
  gitHost: CloudGitHost | undefined;
  /** Forwards requests for deployments in the cloud; undefined in cloud mode. */
  elsewhere: RemoteInstance | undefined;
  /** Deletes the project in the cloud before it is deleted here. */
  beforeProjectDelete(caller: Caller, project: ProjectTable, options: DeleteOptions): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

type Options = {
  db: Db;
  config: Config;
  sealer: Sealer;
  log: Log;
  gitHost: GitHostArea;
  projects: ProjectsArea;
  deployments: Deployments;
  urlsOf: UrlsOf;
};

const tidyMs = 3_600_000;

export function createCloud(options: Options): CloudArea {
  return options.config.mode === 'cloud' ? createHosting(options) : createLinked(options);
}

function createHosting({ db, config, log, gitHost, projects, deployments, urlsOf }: Options): CloudArea {
  const limits = organizationLimitsOf(config);
  const { installations, forLinked, driver } = gitHost;
  const queue = new DeliveryQueue(db);
  gitHost.webhooks.handOn(queue);
  const warn = (message: string) => log.warn(`forwarding webhooks to linked instances: ${message}`);
  const tidying = new PeriodicTask({ everyMs: tidyMs, warn, round: () => queue.tidy() });
  const lending = new GitHostAppLending({ db, gitHost: driver, installations, callMs: config.githostTimeout * 1000 });
  return {
    routes: [
      ...hostedRoutes(new HostedProjects({ db, projects, deployments }), urlsOf),
      ...lendingRoutes({ forLinked, lending, queue, host: driver.addresses.webUrl }),
      ...(limits ? limitRoutes(db, limits) : []),
    ],
    port: noCloud('cloud'),
    gitHost: undefined,
    elsewhere: undefined,
    beforeProjectDelete: async () => {},
    start: () => tidying.start(),
    async stop() {
      queue.stop();
      await tidying.stop();
    },
  };
}

function createLinked({ db, config, sealer, log, gitHost, projects, deployments }: Options): CloudArea {
  const client = new CloudClient({ reach: outboundReachOf(config), ca: undefined });
  const { lent, webhooks } = gitHost;
  const links = new CloudLinks({ db, sealer, client, config, lent });
  const borrowing = new BorrowedGitHostApp({ client, links, callMs: config.githostTimeout * 1000 });
  const pulls = new DeliveryPulls({ db, borrowing, lent, webhooks, log });
  const known = new LastSeenDeployments(db, client);
  const refresh = new CloudRefresh({ db, client, links, known, log });
  const promotion = new Promotion({ db, client, links, known, projects, log });
  const home = new BringHome({ db, client, links, deployments });
  const onChange = (organizationId: string) => refresh.soon(organizationId);
  const hasAny = async (organizationId: string) => (await selectCloudProjects(db, organizationId)).size > 0;
  return {
    routes: [...cloudLinkRoutes(links, db, onChange), ...promotionRoutes(home)],
    port: {
      list: (organizationId, filter) => known.list(organizationId, filter),
      deploy: (caller, wanted) => promotion.deploy(caller, wanted),
      async refuseUpload(sql, organizationId) {
        await links.require(organizationId, sql);
        throw badRequest(
          'uploaded folders cannot be deployed to the cloud; give the project a git source',
          'uploadSessionId',
        );
      },
    },
    gitHost: borrowing,
    elsewhere: new Forwarding({ db, client, links, known, onChange, hasAny }),
    beforeProjectDelete: (caller, project, options) => home.clear(caller, project, options),
    start() {
      refresh.start();
      pulls.start();
    },
    async stop() {
      await Promise.all([refresh.stop(), pulls.stop()]);
      client.close();
    },
  };
}
