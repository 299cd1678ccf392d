import { idParams, isoTime, okItem, itemResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { maxUploadBytes } from './files.ts';
import { Detected, UploadReceipt, ScanBody, UploadSession, SessionBody } from './schemas.ts';
import { type Uploads, uploadTokenHeader } from './service.ts';

export const uploadRoutes = (uploads: Uploads): Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/projects/folder/session',
    permission: 'project:write',
    summary: 'Open a session to upload a folder',
    description: 'Send the folder as a gzipped tar to `upload.url` with `upload.headers`, once and within an hour.',
    body: SessionBody,
    output: UploadSession,
    async handle({ caller, body, origin }) {
      const { row, secret } = await uploads.open(caller, body);
      return {
        success: true as const,
        sessionId: row.id,
        expiresAt: isoTime(row.expiresAt),
        upload: {
          url: `${origin}/api/projects/folder/upload/${row.id}`,
          method: 'PUT' as const,
          headers: { [uploadTokenHeader]: secret, 'content-type': 'application/gzip' },
        },
      };
    },
  }),
  defineRoute({
    method: 'PUT',
    path: '/api/projects/folder/upload/:id',
    // The session's secret is the credential; the client may have no account.
    permission: 'public',
    summary: 'Upload a folder',
    description: 'The body is a gzipped tar of at most 300 MB. Needs the headers from the session.',
    rawBody: true,
    bodyLimit: maxUploadBytes,
    params: idParams,
    output: itemResponse(UploadReceipt),
    async handle({ params, headers, raw, ip }) {
      const received = await uploads.receive(params.id, headers, raw, ip);
      return okItem({ sessionId: params.id, ...received });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/projects/folder/scan',
    permission: 'project:write',
    summary: 'Detect how an uploaded folder would be built',
    body: ScanBody,
    output: itemResponse(Detected),
    handle: async ({ caller, body }) => okItem(await uploads.scan(caller, body.sessionId, body)),
  }),
];
