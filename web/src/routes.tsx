import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, createRouter } from '@tanstack/react-router';
import { deploymentStatuses, trafficWindows } from './api.ts';
import { lazyPage } from './lazy-page.ts';
import {
  type AuditSearch,
  type DeploymentsSearch,
  type FilesSearch,
  type NewSearch,
  origins,
  type LogsSearch,
  type GitSearch,
  paths,
  type TrafficSearch,
} from './paths.ts';
import { FailurePage, NotFoundPage, PendingPage, WholeFailurePage } from './pages/fallback.tsx';
import { leaveIfSignedIn, requireSession } from './session.ts';

const root = createRootRouteWithContext<{ queries: QueryClient }>()({});

const text = (value: unknown) => (typeof value === 'string' && value ? value : undefined);
const yes = (value: unknown) => (value === true ? true : undefined);

const signIn = createRoute({
  getParentRoute: () => root,
  path: paths.signIn,
  validateSearch: (search): { next?: string; expired?: boolean } => ({
    next: text(search.next),
    expired: yes(search.expired),
  }),
  beforeLoad: ({ search }) => leaveIfSignedIn(search.next),
  component: lazyPage(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: paths.setup,
  component: lazyPage(() => import('./pages/sign-in/setup-page.tsx'), 'SetupPage'),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: paths.invitation,
  component: lazyPage(() => import('./pages/sign-in/invitation-page.tsx'), 'InvitationPage'),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: paths.resetPassword,
  component: lazyPage(() => import('./pages/sign-in/reset-password-page.tsx'), 'ResetPasswordPage'),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: ({ context, location }) => requireSession(context.queries, location.href),
  component: lazyPage(() => import('./shell/shell.tsx'), 'Shell'),
  errorComponent: WholeFailurePage,
});

const overview = createRoute({
  getParentRoute: () => signedIn,
  path: paths.overview,
  component: lazyPage(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage'),
});

// The router parses a name of digits as a number.
const word = (value: unknown) => text(typeof value === 'number' ? String(value) : value);
const count = (value: unknown) => (Number.isInteger(value) && Number(value) > 1 ? Number(value) : undefined);
const git = createRoute({
  getParentRoute: () => signedIn,
  path: paths.git,
  staticData: { needs: 'githost:read' },
  validateSearch: (search): GitSearch => ({
    search: word(search.search),
    owner: word(search.owner),
    page: count(search.page),
    connect: search.connect === 'device' ? 'device' : undefined,
    create: yes(search.create),
  }),
  component: lazyPage(() => import('./pages/git/git-page.tsx'), 'GitPage'),
});

const deliveries = createRoute({
  getParentRoute: () => signedIn,
  path: paths.deliveries,
  staticData: { needs: 'githost:list' },
  component: lazyPage(() => import('./pages/git/deliveries-page.tsx'), 'DeliveriesPage'),
});

const repository = createRoute({
  getParentRoute: () => signedIn,
  path: paths.repository,
  staticData: { needs: 'githost:read' },
  component: lazyPage(() => import('./pages/git/repository-page.tsx'), 'RepositoryPage'),
});

const registries = createRoute({
  getParentRoute: () => signedIn,
  path: paths.registries,
  staticData: { needs: 'registry:list' },
  validateSearch: (search): { add?: boolean } => ({ add: yes(search.add) }),
  component: lazyPage(() => import('./pages/registries/registries-page.tsx'), 'RegistriesPage'),
});

const destinations = createRoute({
  getParentRoute: () => signedIn,
  path: paths.destinations,
  staticData: { needs: 'backup_destination:list' },
  validateSearch: (search): { add?: boolean } => ({ add: yes(search.add) }),
  component: lazyPage(() => import('./pages/destinations/destinations-page.tsx'), 'DestinationsPage'),
});

const backups = createRoute({
  getParentRoute: () => signedIn,
  path: paths.backups,
  staticData: { needs: 'backup:list' },
  component: lazyPage(() => import('./pages/backups/backups-page.tsx'), 'BackupsPage'),
});

const backup = createRoute({
  getParentRoute: () => signedIn,
  path: paths.backup,
  staticData: { needs: 'backup:read' },
  component: lazyPage(() => import('./pages/backups/backup-page.tsx'), 'BackupPage'),
});

const backupPolicy = createRoute({
  getParentRoute: () => signedIn,
  path: paths.backupPolicy,
  staticData: { needs: 'backup:read' },
  component: lazyPage(() => import('./pages/backups/policy-page.tsx'), 'PolicyPage'),
});

const restore = createRoute({
  getParentRoute: () => signedIn,
  path: paths.restore,
  staticData: { needs: 'backup:read' },
  component: lazyPage(() => import('./pages/backups/restore-page.tsx'), 'RestorePage'),
});

const servers = createRoute({
  getParentRoute: () => signedIn,
  path: paths.servers,
  staticData: { needs: 'server:list' },
  validateSearch: (search): { add?: boolean } => ({ add: yes(search.add) }),
  component: lazyPage(() => import('./pages/servers/servers-page.tsx'), 'ServersPage'),
});

const server = createRoute({
  getParentRoute: () => signedIn,
  path: paths.server,
  staticData: { needs: 'server:read' },
  component: lazyPage(() => import('./pages/servers/server-page.tsx'), 'ServerPage'),
});

const members = createRoute({
  getParentRoute: () => signedIn,
  path: paths.members,
  staticData: { needs: 'member:list' },
  validateSearch: (search): { invite?: boolean } => ({ invite: yes(search.invite) }),
  component: lazyPage(() => import('./pages/members/members-page.tsx'), 'MembersPage'),
});

const tokens = createRoute({
  getParentRoute: () => signedIn,
  path: paths.tokens,
  staticData: { needs: 'token:list' },
  validateSearch: (search): { create?: boolean } => ({ create: yes(search.create) }),
  component: lazyPage(() => import('./pages/tokens/tokens-page.tsx'), 'TokensPage'),
});

const date = (value: unknown) => text(value)?.match(/^\d{4}-\d{2}-\d{2}$/)?.[0];
const audit = createRoute({
  getParentRoute: () => signedIn,
  path: paths.audit,
  staticData: { needs: 'audit:list' },
  validateSearch: (search): AuditSearch => ({
    noun: text(search.noun),
    actor: text(search.actor),
    when: text(search.when),
    from: date(search.from),
    to: date(search.to),
  }),
  component: lazyPage(() => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
});

const deployment = createRoute({
  getParentRoute: () => signedIn,
  path: paths.deployment,
  staticData: { needs: 'deployment:read' },
  component: lazyPage(() => import('./pages/deployments/deployment-page.tsx'), 'DeploymentPage'),
});

// The router parses a name of digits as a number.
const environment = (value: unknown) =>
  /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.exec(typeof value === 'number' ? String(value) : (text(value) ?? ''))?.[0];
const project = createRoute({
  getParentRoute: () => signedIn,
  path: paths.project,
  staticData: { needs: 'project:read' },
  component: lazyPage(() => import('./pages/projects/project-layout.tsx'), 'ProjectLayout'),
});

const projectOverview = createRoute({
  getParentRoute: () => project,
  path: '/',
  component: lazyPage(() => import('./pages/projects/overview-tab.tsx'), 'OverviewTab'),
});

const projectDeployments = createRoute({
  getParentRoute: () => project,
  path: 'deployments',
  staticData: { needs: 'deployment:list' },
  validateSearch: (search): DeploymentsSearch => ({
    status: deploymentStatuses.find((each) => each === search.status),
    environment: environment(search.environment),
  }),
  component: lazyPage(() => import('./pages/deployments/deployments-tab.tsx'), 'DeploymentsTab'),
});

const projectLogs = createRoute({
  getParentRoute: () => project,
  path: 'logs',
  staticData: { needs: 'deployment:list' },
  validateSearch: (search): LogsSearch => ({
    environment: environment(search.environment),
    service: text(search.service),
    replica: Number.isInteger(search.replica) && Number(search.replica) > 0 ? Number(search.replica) : undefined,
  }),
  component: lazyPage(() => import('./pages/logs/logs-tab.tsx'), 'LogsTab'),
});

const projectVariables = createRoute({
  getParentRoute: () => project,
  path: 'variables',
  component: lazyPage(() => import('./pages/variables/variables-tab.tsx'), 'VariablesTab'),
});

const projectSettings = createRoute({
  getParentRoute: () => project,
  path: 'settings',
  staticData: { needs: 'project:write' },
  component: lazyPage(() => import('./pages/project-settings/settings-tab.tsx'), 'SettingsTab'),
});

const projectDomains = createRoute({
  getParentRoute: () => project,
  path: 'domains',
  component: lazyPage(() => import('./pages/domains/domains-tab.tsx'), 'DomainsTab'),
});

const projectTraffic = createRoute({
  getParentRoute: () => project,
  path: 'traffic',
  validateSearch: (search): TrafficSearch => ({
    environment: environment(search.environment),
    window: trafficWindows.find((each) => each === search.window),
  }),
  component: lazyPage(() => import('./pages/traffic/traffic-tab.tsx'), 'TrafficTab'),
});

const projectVolumes = createRoute({
  getParentRoute: () => project,
  path: 'volumes',
  component: lazyPage(() => import('./pages/volumes/volumes-tab.tsx'), 'VolumesTab'),
});

const projectBackups = createRoute({
  getParentRoute: () => project,
  path: 'backups',
  staticData: { needs: 'backup:list' },
  component: lazyPage(() => import('./pages/backups/backups-tab.tsx'), 'BackupsTab'),
});

const projectServices = createRoute({
  getParentRoute: () => project,
  path: 'services',
  staticData: { needs: 'deployment:read' },
  component: lazyPage(() => import('./pages/services/services-tab.tsx'), 'ServicesTab'),
});

const projectTabs = project.addChildren([
  projectOverview,
  projectDeployments,
  projectLogs,
  projectVariables,
  projectDomains,
  projectTraffic,
  projectVolumes,
  projectBackups,
  projectServices,
  projectSettings,
]);

const projects = createRoute({
  getParentRoute: () => signedIn,
  path: paths.projects,
  staticData: { needs: 'project:list' },
  validateSearch: (search): { search?: string } => ({ search: text(search.search) }),
  component: lazyPage(() => import('./pages/projects/projects-page.tsx'), 'ProjectsPage'),
});

const fresh = createRoute({
  getParentRoute: () => signedIn,
  path: paths.new,
  staticData: { needs: 'project:write' },
  validateSearch: (search): NewSearch => ({
    from: origins.find((each) => each === search.from),
    repo: text(search.repo),
    url: text(search.url),
    branch: text(search.branch),
    root: text(search.root),
    deploys: search.deploys === 'compose' ? 'compose' : undefined,
    project: text(search.project),
  }),
  component: lazyPage(() => import('./pages/new/new-page.tsx'), 'NewPage'),
});

const files = createRoute({
  getParentRoute: () => signedIn,
  path: paths.files,
  staticData: { needs: 'project:read' },
  validateSearch: (search): FilesSearch => ({
    environment: environment(search.environment),
    path: text(search.path),
  }),
  component: lazyPage(() => import('./pages/volumes/files-page.tsx'), 'FilesPage'),
});

const organization = createRoute({
  getParentRoute: () => signedIn,
  path: paths.organization,
  component: lazyPage(() => import('./pages/organization/organization-page.tsx'), 'OrganizationPage'),
});

const instance = createRoute({
  getParentRoute: () => signedIn,
  path: paths.instance,
  staticData: { needs: 'instance:owner' },
  component: lazyPage(() => import('./pages/instance/instance-page.tsx'), 'InstancePage'),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: paths.account,
  component: lazyPage(() => import('./pages/account/account-page.tsx'), 'AccountPage'),
});

const unknown = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFoundPage });

const inside = signedIn.addChildren([
  overview,
  git,
  deliveries,
  repository,
  servers,
  server,
  registries,
  backups,
  backup,
  backupPolicy,
  restore,
  destinations,
  members,
  tokens,
  audit,
  deployment,
  fresh,
  projects,
  projectTabs,
  files,
  organization,
  instance,
  account,
  unknown,
]);
const routeTree = root.addChildren([signIn, setup, invitation, resetPassword, inside]);

export const createAppRouter = (queries: QueryClient) =>
  createRouter({
    routeTree,
    context: { queries },
    defaultPreload: 'intent',
    defaultPendingMs: 300,
    defaultPendingComponent: PendingPage,
    defaultErrorComponent: FailurePage,
    scrollRestoration: true,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
  interface StaticDataRouteOption {
    /** The permission that the page requires. */
    needs?: string;
  }
}
