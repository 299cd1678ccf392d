import { z } from '../../../lib/zod/index.ts';
import type { DomainTable } from '../../../db/tables.ts';
import { emptyResponse, idParams, listResponse, okItem, okDone, itemResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import type { EdgeLocation } from '../edges/edge-location.ts';
import { type CertificateState, Domain, DomainBody, DomainChange, presentDomain } from './schemas.ts';
import type { Domains } from './service.ts';

type Deps = {
  domains: Domains;
  /** Returns the certificate states of these domains. */
  certificatesOf: (rows: DomainTable[]) => Promise<Map<string, CertificateState>>;
  /** Returns the edge that serves the project. */
  placeOf: (projectId: string) => Promise<Pick<EdgeLocation, 'url'>>;
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
  const presentOne = async (row: DomainTable) => okItem((await present([row]))[0]!);
  return [
    defineRoute({
      method: 'GET',
      path: '/api/projects/:id/domains',
      permission: 'project:read',
      summary: 'List the domains of a project',
      params: idParams,
      output: listResponse(Domain),
      handle: async ({ caller, params: { id } }) => okItem(await present(await domains.list(caller, id))),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/projects/:id/domains',
      permission: 'project:write',
      summary: 'Add a domain to a project',
      description:
        'It serves the active release immediately. A domain belongs to one project of the instance: 409 if it is taken. If another organization has it, `message` names the TXT record that proves ownership; with that record the domain moves to this project.',
      status: 201,
      params: idParams,
      body: DomainBody,
      output: itemResponse(Domain),
      handle: async ({ caller, params: { id }, body }) => presentOne(await domains.add(caller, id, body)),
    }),
    defineRoute({
      method: 'PATCH',
      path: '/api/projects/:id/domains/:name',
      permission: 'project:write',
      summary: 'Change a domain',
      params,
      body: DomainChange,
      output: itemResponse(Domain),
      handle: async ({ caller, params: { id, name }, body }) =>
        presentOne(await domains.change(caller, id, name, body)),
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/projects/:id/domains/:name',
      permission: 'project:write',
      summary: 'Remove a domain from a project',
      description: 'Also deletes its certificate. The release keeps serving at its other addresses.',
      params,
      output: emptyResponse,
      async handle({ caller, params: { id, name } }) {
        await domains.remove(caller, id, name);
        return okDone;
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/projects/:id/domains/:name/check',
      permission: 'project:write',
      summary: 'Check the DNS records of a domain',
      params,
      output: itemResponse(Domain),
      handle: async ({ caller, params: { id, name } }) => presentOne(await domains.check(caller, id, name)),
    }),
  ];
}
