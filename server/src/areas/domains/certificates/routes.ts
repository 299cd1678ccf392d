import { z } from '../../../lib/zod/index.ts';
import { emptyResponse, okItem, okDone, itemResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import {
  Certificate,
  CertificateQuery,
  presentCertificate,
  presentStatus,
  SslStatus,
  UploadBody,
  UploadedCertificate,
} from './schemas.ts';
import type { Renewals } from './renewals.ts';
import type { Ssl } from './ssl.ts';
import type { UploadedCertificates } from './uploads.ts';

const params = z.object({ id: z.string().max(100), name: z.string().max(300) });

type Deps = { ssl: Ssl; renewals: Renewals; uploads: UploadedCertificates };

export const certificateRoutes = ({ ssl, renewals, uploads }: Deps): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/deployments/ssl/status',
    permission: 'deployment:read',
    summary: 'Check the certificate of a domain',
    description:
      'Shows the stored certificate if the domain belongs to one of your projects, and the certificate that clients get for any domain. Changes nothing.',
    body: CertificateQuery,
    output: itemResponse(SslStatus),
    handle: async ({ caller, body }) => okItem(presentStatus(await ssl.status(caller, body.domain))),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/deployments/ssl/renew',
    permission: 'deployment:write',
    summary: 'Issue a new certificate for a domain',
    description:
      'Responds once the new certificate serves. A call during a running order waits for that order. The previous certificate serves until then.',
    body: CertificateQuery,
    output: itemResponse(Certificate),
    handle: async ({ caller, body }) => okItem(presentCertificate(await renewals.renew(caller, body.domain))),
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/projects/:id/domains/:name/certificate',
    permission: 'project:write',
    summary: 'Upload a certificate for a domain',
    description:
      'It serves immediately, instead of the issued certificate. It must be valid, cover the domain and match the key.',
    params,
    body: UploadBody,
    output: itemResponse(UploadedCertificate),
    async handle({ caller, params: { id, name }, body }) {
      const { row, warnings } = await uploads.put(caller, id, name, body);
      return okItem({ ...presentCertificate(row), warnings });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/projects/:id/domains/:name/certificate',
    permission: 'project:write',
    summary: 'Delete the uploaded certificate of a domain',
    description: 'The issued certificate serves again; if there is none, Mooring orders one.',
    params,
    output: emptyResponse,
    async handle({ caller, params: { id, name } }) {
      await uploads.delete(caller, id, name);
      return okDone;
    },
  }),
];
