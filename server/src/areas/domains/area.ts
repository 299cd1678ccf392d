import type { Config } from '../../config.ts';
import type { Db } from '../../db/database.ts';
import type { Edge } from '../../drivers/edge/edge.ts';
import type { Route } from '../../http/define-route.ts';
import { domainRoutes } from './domains/routes.ts';
import { Domains } from './domains/service.ts';
import { ReleaseNames } from './names.ts';

/** Names that projects answer under. */
export interface DomainsArea {
  routes: Route[];
  domains: Domains;
  names: ReleaseNames;
}

type Options = { db: Db; config: Pick<Config, 'baseDomain'>; edge: Edge };

export function createDomains({ db, config: { baseDomain }, edge }: Options): DomainsArea {
  const look = async (name: string) => {
    throw new Error(`nobody looks where ${name} leads`);
  };
  const domains = new Domains({ db, baseDomain, look });
  const names = new ReleaseNames(db, async () => new Set());
  const certificatesOf = async () => new Map();
  const urlOf = (name: string, secure: boolean) => edge.url(name, { secure });
  return { routes: domainRoutes({ domains, certificatesOf, urlOf }), domains, names };
}
