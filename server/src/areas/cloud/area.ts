import { type Config, organizationLimitsOf, reachOf } from '../../config.ts';
import type { Db } from '../../db/database.ts';
import type { ProjectTable } from '../../db/tables.ts';
import { CloudClient } from '../../drivers/cloud/cloud-client.ts';
import { badRequest } from '../../errors.ts';
import type { Route } from '../../http/define-route.ts';
import type { Elsewhere } from '../../http/elsewhere.ts';
import type { Log } from '../../lib/log.ts';
import type { Sealer } from '../../lib/seal.ts';
import { type CloudPort, noCloud } from '../deployments/cloud-port.ts';
import type { Deployments } from '../deployments/service.ts';
import type { ProjectsArea } from '../projects/area.ts';
import { selectCloudProjects } from '../projects/projects/store.ts';
import type { UrlsOf } from '../projects/projects/routes.ts';
import { KnownDeployments } from './deployments/known.ts';
import { CloudRefresh } from './deployments/refresh.ts';
import { Forwarding } from './forwarding/forward.ts';
import { hostedRoutes } from './hosted/routes.ts';
import { HostedProjects } from './hosted/service.ts';
import { limitRoutes } from './limits/routes.ts';
import { linkRoutes } from './link/routes.ts';
import { CloudLinks } from './link/service.ts';
import { BringHome } from './promotion/bring-home.ts';
import { Promotion } from './promotion/promote.ts';
import { promotionRoutes } from './promotion/routes.ts';

/** A hosted cloud: being linked to one, and being one. */
export interface CloudArea {
  routes: Route[];
  port: CloudPort;
  /** Answers for what lives there; none where this is the cloud. */
  elsewhere: Elsewhere | undefined;
  /** What has to happen before a project goes: it goes there too. */
  beforeProjectDelete(project: ProjectTable): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

type Options = {
  db: Db;
  config: Config;
  sealer: Sealer;
  log: Log;
  projects: ProjectsArea;
  deployments: Deployments;
  urlsOf: UrlsOf;
};

export function createCloud(options: Options): CloudArea {
  return options.config.mode === 'cloud' ? createHosting(options) : createLinked(options);
}

function createHosting({ db, config, projects, deployments, urlsOf }: Options): CloudArea {
  const limits = organizationLimitsOf(config);
  return {
    routes: [
      ...hostedRoutes(new HostedProjects({ db, projects, deployments }), urlsOf),
      ...(limits ? limitRoutes(db, limits) : []),
    ],
    port: noCloud('cloud'),
    elsewhere: undefined,
    beforeProjectDelete: async () => {},
    start() {},
    stop: async () => {},
  };
}

function createLinked({ db, config, sealer, log, projects, deployments }: Options): CloudArea {
  const client = new CloudClient({ reach: reachOf(config), ca: undefined });
  const links = new CloudLinks({ db, sealer, client, config });
  const known = new KnownDeployments(db, client);
  const refresh = new CloudRefresh({ db, client, links, known, log });
  const promotion = new Promotion({ db, client, links, known, projects });
  const home = new BringHome({ db, client, links, deployments });
  const onChange = (organizationId: string) => refresh.soon(organizationId);
  const hasAny = async (organizationId: string) => (await selectCloudProjects(db, organizationId)).size > 0;
  return {
    routes: [...linkRoutes(links, db), ...promotionRoutes(home)],
    port: {
      list: (organizationId, filter) => known.list(organizationId, filter),
      deploy: (caller, wanted) => promotion.deploy(caller, wanted),
      async refuseUpload(sql, organizationId) {
        await links.require(organizationId, sql);
        throw badRequest('an uploaded folder cannot go to the cloud; give the project a git source', 'uploadSessionId');
      },
    },
    elsewhere: new Forwarding({ client, links, known, onChange, hasAny }),
    beforeProjectDelete: (project) => home.clear(project),
    start: () => refresh.start(),
    async stop() {
      await refresh.stop();
      client.close();
    },
  };
}
