import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Operations that no page calls, each with the reason. */
const notForPages: Record<string, string> = {
  'GET /.well-known/acme-challenge/{token}': 'for certificate authorities',
  'GET /api/openapi.json': 'for programs',
  'GET /api/docs': 'a page of its own, which the sidebar leads to',
  'GET /api/events': 'followed by live/organization.ts, without the client',
  'GET /api/deployments/{id}/stream': 'followed by the log of a deployment, without the client',
  'GET /api/backups/{id}/stream': 'followed by the page of a backup, without the client',
  'GET /api/restores/{id}/stream': 'followed by the page of a restore, without the client',
  'GET /api/backup-downloads': 'the browser follows the link that a page has requested',
  'GET /api/backups/{id}/archives/{archiveId}/download': 'for the command line: pages request a link',
  'GET /api/backups/{id}/archives/{archiveId}/file': 'for the command line: pages request a link',
  'PUT /api/projects/folder/upload/{id}': 'sent with its progress, without the client',
  'POST /api/webhooks/githost': 'for the git host',
  'GET /api/githost/connect/redirect': 'the git host leads the browser there',
  'POST /api/projects/ensure': 'for scripts: pages create or change',
  'POST /api/projects/{id}/link': 'the settings set the source, which links too',
  'DELETE /api/projects/{id}/link': 'the settings set the source, which unlinks too',
  'GET /api/organizations': 'GET /api/me has them',
  'GET /api/registries/{id}': 'the list has all of it',
  'GET /api/backup-destinations/{id}': 'the list has all of it',
  'GET /api/githost/orgs/{org}/repos': 'GET /api/githost/repos with an owner is the same',
  'GET /api/githost/repos/{owner}/{repo}/clone-token': 'for a terminal',
  'GET /api/githost/repos/{owner}/{repo}/files': 'for programs: the git host has pages for that',
  'GET /api/githost/repos/{owner}/{repo}/file': 'for programs: the git host has pages for that',
  'PUT /api/cloud/projects/{id}': 'between instances',
  'POST /api/cloud/githost/connect': 'between instances',
  'GET /api/cloud/githost/installations': 'between instances',
  'POST /api/cloud/githost/installations/{id}/token': 'between instances',
  'GET /api/cloud/githost/deliveries': 'between instances',
};

it('every operation meant for people is called by a page', () => {
  const { paths } = JSON.parse(readFileSync(join(root, 'server/openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const sources = readdirSync(join(root, 'web/src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const called = new Set(
    sources.flatMap((name) =>
      [...readFileSync(join(root, 'web/src', name), 'utf8').matchAll(/client\.([A-Z]+)\(\s*'([^']+)'/g)].map(
        ([, method, path]) => `${method} ${path}`,
      ),
    ),
  );
  expect(all.filter((operation) => !called.has(operation)).toSorted()).toEqual(Object.keys(notForPages).toSorted());
});
