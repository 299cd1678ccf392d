import { linkOptions } from '@tanstack/react-router';
import type { Deployment, TrafficWindow } from './api.ts';

/** Every route of the dashboard. Links are built only here. */
export const paths = {
  overview: '/',
  new: '/new',
  projects: '/projects',
  git: '/git',
  deliveries: '/git/deliveries',
  repository: '/git/repositories/$owner/$repo',
  servers: '/servers',
  server: '/servers/$id',
  registries: '/registries',
  backups: '/backups',
  backup: '/backups/$id',
  backupPolicy: '/backup-policies/$id',
  restore: '/restores/$id',
  destinations: '/backup-destinations',
  members: '/members',
  tokens: '/tokens',
  audit: '/audit',
  deployment: '/deployments/$id',
  project: '/projects/$id',
  projectDeployments: '/projects/$id/deployments',
  projectLogs: '/projects/$id/logs',
  projectVariables: '/projects/$id/variables',
  projectSettings: '/projects/$id/settings',
  projectDomains: '/projects/$id/domains',
  projectTraffic: '/projects/$id/traffic',
  projectVolumes: '/projects/$id/volumes',
  projectBackups: '/projects/$id/backups',
  projectServices: '/projects/$id/services',
  files: '/projects/$id/volumes/$name',
  organization: '/organization',
  instance: '/instance',
  account: '/account',
  signIn: '/sign-in',
  setup: '/setup',
  invitation: '/invitation',
  resetPassword: '/reset-password',
} as const;

export const apiReference = '/api/docs';

export type AuditSearch = { noun?: string; actor?: string; when?: string; from?: string; to?: string };

export type TrafficSearch = { environment?: string; window?: TrafficWindow };
/** The sources of a new app. */
export const origins = ['git', 'folder', 'compose', 'image', 'server'] as const;
export type Origin = (typeof origins)[number];
/** `repo` is `owner/name` at the connected git host, `url` any other repository; `root` is the app's folder in it.
 * `deploys` chooses the compose file of a source that is an app. With `project` it deploys a new version of that project. */
export type NewSearch = {
  from?: Origin;
  repo?: string;
  url?: string;
  branch?: string;
  root?: string;
  deploys?: 'compose';
  project?: string;
};
export type DeploymentsSearch = { status?: Deployment['status']; environment?: string };
export type LogsSearch = { environment?: string; service?: string; replica?: number };

export const toAudit = (search: AuditSearch = {}) => linkOptions({ to: paths.audit, search });
export const toTokens = (search: { create?: boolean } = {}) => linkOptions({ to: paths.tokens, search });
export const toMembers = (search: { invite?: boolean } = {}) => linkOptions({ to: paths.members, search });

/** `connect` keeps a device login open across a reload. */
export type GitSearch = { search?: string; owner?: string; page?: number; connect?: 'device'; create?: boolean };
export const toGit = (search: GitSearch = {}) => linkOptions({ to: paths.git, search });
export const toDeliveries = () => linkOptions({ to: paths.deliveries });
export const toRepository = (fullName: string) => {
  const [owner = '', repo = ''] = fullName.split('/');
  return linkOptions({ to: paths.repository, params: { owner, repo } });
};

export const toRegistries = (search: { add?: boolean } = {}) => linkOptions({ to: paths.registries, search });
export const toDestinations = (search: { add?: boolean } = {}) => linkOptions({ to: paths.destinations, search });

export const toBackups = (hash?: 'keys') => linkOptions({ to: paths.backups, ...(hash && { hash }) });
export const toBackup = (id: string) => linkOptions({ to: paths.backup, params: { id } });
export const toBackupPolicy = (id: string) => linkOptions({ to: paths.backupPolicy, params: { id } });
export const toRestore = (id: string) => linkOptions({ to: paths.restore, params: { id } });
export const toBackupsOf = (id: string) => linkOptions({ to: paths.projectBackups, params: { id } });

export const toServers = (search: { add?: boolean } = {}) => linkOptions({ to: paths.servers, search });
export const toServer = (id: string) => linkOptions({ to: paths.server, params: { id } });

/** The cloud section of the organization page. */
export const toCloudLink = () => linkOptions({ to: paths.organization, hash: 'cloud' });

export const toProjects = (search?: string) => linkOptions({ to: paths.projects, search: search ? { search } : {} });
export const toNew = (search: NewSearch = {}) => linkOptions({ to: paths.new, search });

export const toProject = (id: string) => linkOptions({ to: paths.project, params: { id } });
export const toTraffic = (id: string, search: TrafficSearch = {}) =>
  linkOptions({ to: paths.projectTraffic, params: { id }, search });
export const toDomains = (id: string) => linkOptions({ to: paths.projectDomains, params: { id } });
export const toVolumes = (id: string) => linkOptions({ to: paths.projectVolumes, params: { id } });
export const toVariables = (id: string) => linkOptions({ to: paths.projectVariables, params: { id } });
export const toProjectSettings = (id: string) => linkOptions({ to: paths.projectSettings, params: { id } });
export const toProjectLogs = (id: string, search: LogsSearch = {}) =>
  linkOptions({ to: paths.projectLogs, params: { id }, search });
export const toDeploymentsOf = (id: string, search: DeploymentsSearch = {}) =>
  linkOptions({ to: paths.projectDeployments, params: { id }, search });

type VolumePlace = { projectId: string; name: string; environment: string };
export type FilesSearch = { environment?: string; path?: string };

/** A folder of a volume; the root without a path. */
export const toFiles = ({ projectId: id, name, environment }: VolumePlace, path?: string) => {
  const search: FilesSearch = { ...(environment !== 'production' && { environment }), ...(path && { path }) };
  return linkOptions({ to: paths.files, params: { id, name }, search });
};

export const toDeployment = (id: string) => linkOptions({ to: paths.deployment, params: { id } });

/** The sign-in page, which returns to the current page afterwards. */
export const toSignIn = (next?: string, isExpired = false) =>
  linkOptions({
    to: paths.signIn,
    search: { ...(next && next !== paths.overview && { next }), ...(isExpired && { expired: true }) },
  });

/** Follows a return address only within this site: to a browser, `//host` and `/\host` are other sites. */
export function safeReturn(next: string | undefined): string {
  if (!next?.startsWith('/')) return paths.overview;
  const url = URL.parse(next, window.location.origin);
  if (url?.origin !== window.location.origin || url.pathname === paths.signIn) return paths.overview;
  return url.pathname + url.search + url.hash;
}
