import { linkOptions } from '@tanstack/react-router';
import type { TrafficWindow } from './api.ts';

/** Every address of the dashboard. Links are built here and nowhere else. */
export const paths = {
  overview: '/',
  servers: '/servers',
  server: '/servers/$id',
  members: '/members',
  tokens: '/tokens',
  audit: '/audit',
  deployment: '/deployments/$id',
  project: '/projects/$id',
  files: '/projects/$id/volumes/$name',
  organization: '/organization',
  account: '/account',
  signIn: '/sign-in',
  setup: '/setup',
  invitation: '/invitation',
  resetPassword: '/reset-password',
} as const;

export const apiReference = '/api/docs';

export type AuditSearch = { noun?: string; actor?: string; when?: string; from?: string; to?: string };

export type ProjectSearch = { environment?: string; window?: TrafficWindow };

export const toAudit = (search: AuditSearch = {}) => linkOptions({ to: paths.audit, search });
export const toTokens = (search: { create?: boolean } = {}) => linkOptions({ to: paths.tokens, search });
export const toMembers = (search: { invite?: boolean } = {}) => linkOptions({ to: paths.members, search });

export const toServers = (search: { add?: boolean } = {}) => linkOptions({ to: paths.servers, search });
export const toServer = (id: string) => linkOptions({ to: paths.server, params: { id } });

/** The part of the organization's page that is about the cloud. */
export const toCloudLink = () => linkOptions({ to: paths.organization, hash: 'cloud' });

export const toProject = (id: string, search: ProjectSearch = {}) =>
  linkOptions({ to: paths.project, params: { id }, search });

type VolumePlace = { projectId: string; name: string; environment: string };
export type FilesSearch = { environment?: string; path?: string };

/** A folder of a volume; the top one without a path. */
export const toFiles = ({ projectId: id, name, environment }: VolumePlace, path?: string) => {
  const search: FilesSearch = { ...(environment !== 'production' && { environment }), ...(path && { path }) };
  return linkOptions({ to: paths.files, params: { id, name }, search });
};

export const toDeployment = (id: string) => linkOptions({ to: paths.deployment, params: { id } });

/** Sign-in that leads back to where the person was. */
export const toSignIn = (next?: string) =>
  linkOptions({ to: paths.signIn, search: next && next !== paths.overview ? { next } : {} });

/** A return address is followed only within this site: `//host` and `/\host` are other sites to a browser. */
export function safeReturn(next: string | undefined): string {
  if (!next?.startsWith('/')) return paths.overview;
  const url = URL.parse(next, window.location.origin);
  if (url?.origin !== window.location.origin || url.pathname === paths.signIn) return paths.overview;
  return url.pathname + url.search + url.hash;
}
