import { okPage, pageResponse } from '../../../http/responses.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { AuditEntry, AuditQuery, presentEntry } from './schemas.ts';
import type { AuditLog } from './service.ts';

export const auditRoutes = (audit: AuditLog): Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/audit',
    permission: 'audit:list',
    summary: 'List the audit log, newest first',
    query: AuditQuery,
    output: pageResponse(AuditEntry),
    async handle({ caller, query }) {
      const { entries, nextCursor } = await audit.list(caller, query);
      return okPage(entries.map(presentEntry), nextCursor);
    },
  }),
];
