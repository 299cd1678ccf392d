import { z } from 'zod';
import { done, ok, okDone, one } from '../../../http/answers.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import {
  Certificate,
  DomainBody,
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
    summary: 'Look at the certificate of a domain',
    description:
      'What we have for it, if it is a domain of yours, and what visitors get to see, whosever it is. Changes nothing.',
    body: DomainBody,
    output: one(SslStatus),
    handle: async ({ caller, body }) => ok(presentStatus(await ssl.status(caller, body.domain))),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/deployments/ssl/renew',
    permission: 'deployment:write',
    summary: 'Have a new certificate issued for a domain',
    description:
      'Answers with the new certificate once visitors get it. Whoever asks while an order is under way gets what comes of that one. The certificate before serves until then.',
    body: DomainBody,
    output: one(Certificate),
    handle: async ({ caller, body }) => ok(presentCertificate(await renewals.renew(caller, body.domain))),
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/projects/:id/domains/:name/certificate',
    permission: 'project:write',
    summary: 'Upload a certificate for a domain',
    description:
      'It serves at once, instead of the one of the authority. It has to be for the name, to be valid, and to fit the key.',
    params,
    body: UploadBody,
    output: one(UploadedCertificate),
    async handle({ caller, params: { id, name }, body }) {
      const { row, warnings } = await uploads.put(caller, id, name, body);
      return ok({ ...presentCertificate(row), warnings });
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/projects/:id/domains/:name/certificate',
    permission: 'project:write',
    summary: 'Delete the uploaded certificate of a domain',
    description: 'The one of the authority serves again; if there is none, one is ordered.',
    params,
    output: done,
    async handle({ caller, params: { id, name } }) {
      await uploads.delete(caller, id, name);
      return okDone;
    },
  }),
];
