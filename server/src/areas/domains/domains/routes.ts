import { z } from 'zod';
import type { DomainTable } from '../../../db/tables.ts';
import { done, idParams, list, ok, okDone, one } from '../../../http/answers.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { EdgePlace } from '../edges/place.ts';
import { type CertificateState, Domain, DomainBody, DomainChange, presentDomain } from './schemas.ts';
import type { Domains } from './service.ts';

type Deps = {
  domains: Domains;
  /** What is known of the certificates of these names. */
  certificatesOf: (rows: DomainTable[]) => Promise<Map<string, CertificateState>>;
  /** How names of a project are reached. */
  placeOf: (projectId: string) => Promise<Pick<EdgePlace, 'url'>>;
};

const params = z.object({ ...idParams.shape, name: z.string().max(300) });

export function domainRoutes({ domains, certificatesOf, placeOf }: Deps): Route[] {
  async function present(rows: DomainTable[]) {
    const [first] = rows;
    if (!first) return [];
    const states = await certificatesOf(rows);
    const place = await placeOf(first.projectId);
    const services = await domains.servicesFor(rows);
    return rows.map((row) => {
      const state = states.get(row.name) ?? { certificate: null, problem: null };
      const url = place.url(row.name, { secure: state.certificate !== null });
      return presentDomain(row, { url, state, services: services.get(row.environment) });
    });
  }
  const presentOne = async (row: DomainTable) => ok((await present([row]))[0]!);
  return [
    defineRoute({
      method: 'GET',
      path: '/api/projects/:id/domains',
      permission: 'project:read',
      summary: 'List the domains of a project',
      params: idParams,
      output: list(Domain),
      handle: async ({ caller, params: { id } }) => ok(await present(await domains.list(caller, id))),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/projects/:id/domains',
      permission: 'project:write',
      summary: 'Add a domain to a project',
      description:
        'It answers at once with what is deployed. One project has a name, in the whole instance: 409 for one that is taken. Where another organization has it, `message` names the TXT record that proves whose it is; with that record, it goes to the project.',
      status: 201,
      params: idParams,
      body: DomainBody,
      output: one(Domain),
      handle: async ({ caller, params: { id }, body }) => presentOne(await domains.add(caller, id, body)),
    }),
    defineRoute({
      method: 'PATCH',
      path: '/api/projects/:id/domains/:name',
      permission: 'project:write',
      summary: 'Change where a domain leads',
      params,
      body: DomainChange,
      output: one(Domain),
      handle: async ({ caller, params: { id, name }, body }) =>
        presentOne(await domains.change(caller, id, name, body)),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/projects/:id/domains/:name',
      permission: 'project:write',
      summary: 'Take a domain away from a project',
      description: 'Its certificate goes too. What is deployed keeps answering under its other names.',
      params,
      output: done,
      async handle({ caller, params: { id, name } }) {
        await domains.remove(caller, id, name);
        return okDone;
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/projects/:id/domains/:name/check',
      permission: 'project:write',
      summary: 'Look whether a domain leads here',
      params,
      output: one(Domain),
      handle: async ({ caller, params: { id, name } }) => presentOne(await domains.check(caller, id, name)),
    }),
  ];
}
