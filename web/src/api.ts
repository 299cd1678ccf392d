import { ApiError, createClient, type Schemas, unwrap } from '@mooring/client';
import {
  infiniteQueryOptions,
  queryOptions,
  useMutation,
  useQueryClient,
  useSuspenseQuery,
} from '@tanstack/react-query';
import { cloudTroubleIn } from './cloud-error.ts';
import { isUnfinishedDeployment } from './deployment-status.ts';
import { chooseOrganization, chosenOrganization } from './organization-choice.ts';
import { sessionProof } from './session-proof.ts';

export { isUnfinishedDeployment };
export type Me = Schemas['Me'];
export type Member = Schemas['Member'];
export type Invitation = Schemas['Invitation'];
export type Token = Schemas['Token'];
export type AuditEntry = Schemas['AuditEntry'];
export type Deployment = Schemas['Deployment'];
export type Service = Deployment['services'][number];
export type Prompt = NonNullable<Schemas['BuildState']['prompt']>;
export type Step = Schemas['BuildState']['steps'][number];
export type Project = Schemas['Project'];
export type Domain = Schemas['Domain'];
export type Traffic = Schemas['Traffic'];
export type Grant = Member['grants'][number];

export const client = createClient({ organizationId: chosenOrganization, sessionProof });

async function fetchMe(): Promise<Me> {
  const { data: me } = await unwrap(client.GET('/api/me'));
  const elsewhere = me.organizations[0];
  if (me.organization || !elsewhere) {
    if (!chosenOrganization()) chooseOrganization(me.organization?.id);
    return me;
  }
  // The stored organization belongs to another account, or the person has left it.
  chooseOrganization(elsewhere.id);
  return (await unwrap(client.GET('/api/me'))).data;
}

export const meQuery = queryOptions({ queryKey: ['me'], queryFn: fetchMe, staleTime: 60_000 });

export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: async () => (await unwrap(client.GET('/api/auth/setup'))).data,
});

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: () => unwrap(client.GET('/api/health')),
  staleTime: Infinity,
});

export const instanceQuery = queryOptions({
  queryKey: ['instance'],
  queryFn: async () => (await unwrap(client.GET('/api/instance'))).data,
  staleTime: Infinity,
});

/** Why the connection is not encrypted; null if that is as it should be. `issued`: HTTPS works by now. */
export const connectionQuery = queryOptions({
  queryKey: ['connection'],
  queryFn: async () => {
    const answer = client.GET('/api/instance/connection', { redirect: 'manual' });
    // Once there is a certificate, every request is redirected.
    if ((await answer).response.type === 'opaqueredirect') return 'issued';
    return (await unwrap(answer)).data.certificate;
  },
  enabled: () => location.protocol === 'http:',
  staleTime: Infinity,
  refetchInterval: ({ state: { data } }) => (data && data !== 'issued' ? 5000 : false),
});

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: async () => (await unwrap(client.GET('/api/members'))).data,
});

export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: async () => (await unwrap(client.GET('/api/invitations'))).data,
});

export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async () => (await unwrap(client.GET('/api/tokens'))).data,
});

export const deploymentStatuses = [
  'queued',
  'building',
  'deploying',
  'ready',
  'failed',
  'cancelled',
  'partial_failure',
  'rejected',
] as const satisfies Deployment['status'][];

export const deploymentPollMs = 2000;

type Watched = { state: { data?: { status: string; steps?: Step[] }; error: unknown } };

/** Polls until the deployment has ended; some steps run after that. Keeps polling while the cloud that hosts it is
 * unreachable. */
function untilEnded({ state: { data, error } }: Watched): number | false {
  if (!data) return cloudTroubleIn(error) === 'unreachable' ? deploymentPollMs : false;
  const isGoingOn =
    isUnfinishedDeployment(data) || data.steps?.some(({ status }) => status === 'running' || status === 'waiting');
  return isGoingOn ? deploymentPollMs : false;
}

export const deploymentQuery = (id: string) =>
  queryOptions({
    queryKey: ['deployment', id],
    queryFn: async () => (await unwrap(client.GET('/api/deployments/{id}', { params: { path: { id } } }))).data,
    refetchInterval: untilEnded,
  });

export const stepsQuery = (id: string) =>
  queryOptions({
    queryKey: ['deployment', id, 'steps'],
    queryFn: async () => (await unwrap(client.GET('/api/deployments/{id}/build', { params: { path: { id } } }))).data,
    refetchInterval: untilEnded,
  });

/** The newest few of all projects, polled while one of them is running. */
export const recentDeploymentsQuery = queryOptions({
  queryKey: ['deployments', 'recent'],
  queryFn: async () => (await unwrap(client.GET('/api/deployments', { params: { query: { limit: 6 } } }))).data,
  refetchInterval: ({ state: { data } }) => (data?.some(isUnfinishedDeployment) ? deploymentPollMs : false),
});

type ListFilter = { projectId?: string; environment?: string; latest?: 'true'; active?: 'true' };

async function allDeployments(filter: ListFilter): Promise<Deployment[]> {
  const found: Deployment[] = [];
  let cursor: string | undefined;
  do {
    const query = { ...filter, limit: 100, cursor };
    const { data, nextCursor } = await unwrap(client.GET('/api/deployments', { params: { query } }));
    found.push(...data);
    cursor = nextCursor ?? undefined;
  } while (cursor);
  return found;
}

/** The newest deployment of each project in production. */
export const latestDeploymentsQuery = queryOptions({
  queryKey: ['deployments', 'latest'],
  queryFn: () => allDeployments({ environment: 'production', latest: 'true' }),
});

/** The active releases of all projects in production. */
export const allActiveReleasesQuery = queryOptions({
  queryKey: ['deployments', 'active'],
  queryFn: () => allDeployments({ environment: 'production', active: 'true' }),
});

export const projectsQuery = queryOptions({
  queryKey: ['projects'],
  queryFn: async () => (await unwrap(client.GET('/api/projects'))).data,
});

export const projectQuery = (id: string) =>
  queryOptions({
    queryKey: ['project', id],
    queryFn: async () => (await unwrap(client.GET('/api/projects/{id}', { params: { path: { id } } }))).data,
  });

/** The newest few of one project. */
export const deploymentsOfQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'deployments'],
    queryFn: async () =>
      (await unwrap(client.GET('/api/deployments', { params: { query: { projectId, limit: 6 } } }))).data,
    refetchInterval: ({ state: { data } }) => (data?.some(isUnfinishedDeployment) ? deploymentPollMs : false),
  });

/** The active releases of one project: one per environment. */
export const activeReleasesQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'active'],
    queryFn: () => allDeployments({ projectId, active: 'true' }),
  });

/** The environments of the newest deployments of one project. */
export const recentEnvironmentsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'environments'],
    queryFn: async () => {
      const { data } = await unwrap(client.GET('/api/deployments', { params: { query: { projectId, limit: 100 } } }));
      return [...new Set(data.map(({ environment }) => environment))];
    },
    staleTime: 60_000,
  });

type DeploymentFilter = { status?: Deployment['status'] | undefined; environment?: string | undefined };

/** All deployments of one project, page by page. */
export const deploymentPagesQuery = (projectId: string, filter: DeploymentFilter) =>
  infiniteQueryOptions({
    queryKey: ['project', projectId, 'deployments', 'pages', filter],
    queryFn: ({ pageParam: cursor }) =>
      unwrap(client.GET('/api/deployments', { params: { query: { projectId, ...filter, limit: 25, cursor } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });

/** The release that was active in the environment before this deployment; null if there was none. */
export const previousReleaseQuery = ({ id, projectId, environment }: Deployment) =>
  queryOptions({
    queryKey: ['project', projectId, 'previous-release', id],
    queryFn: async () => {
      const query = { projectId, environment, status: 'ready' as const, cursor: id, limit: 1 };
      return (await unwrap(client.GET('/api/deployments', { params: { query } }))).data[0] ?? null;
    },
  });

const expectedMs = 10 * 60_000;
const isExpected = ({ certificate, action, createdAt }: Domain) =>
  !certificate && !action.required && Date.now() - Date.parse(createdAt) < expectedMs;

/** Polled while a certificate is being issued. */
export const domainsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['project', projectId, 'domains'],
    queryFn: async () =>
      (await unwrap(client.GET('/api/projects/{id}/domains', { params: { path: { id: projectId } } }))).data,
    refetchInterval: ({ state: { data } }) => (data?.some(isExpected) ? deploymentPollMs : false),
  });

export const trafficWindows = ['1h', '6h', '24h', '7d', '30d'] as const;
export type TrafficWindow = (typeof trafficWindows)[number];

/** Keeps the previous time range on screen until the next one has loaded, but never that of another environment. */
export const trafficQuery = (projectId: string, environment: string, window: TrafficWindow) =>
  queryOptions({
    queryKey: ['project', projectId, 'traffic', environment, window],
    queryFn: async () => {
      const params = { path: { id: projectId }, query: { environment, window } };
      return (await unwrap(client.GET('/api/projects/{id}/traffic', { params }))).data;
    },
    refetchInterval: 30_000,
    placeholderData: (before: Traffic | undefined) => (before?.environment === environment ? before : undefined),
  });

/** Progress of a certificate order. */
export const orderQuery = (name: string) =>
  queryOptions({
    queryKey: ['ssl', name],
    queryFn: async () =>
      (await unwrap(client.POST('/api/deployments/ssl/status', { body: { domain: name } }))).data.order,
    staleTime: 0,
  });

export type AuditFilter = { action?: string; actorId?: string; from?: string; to?: string; limit?: number };

/** `filterNow` runs for each page, because "the last day" moves; `key` identifies the chosen filter. */
export const auditQuery = (key: object, filterNow: () => AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', key],
    queryFn: ({ pageParam: cursor }) =>
      unwrap(client.GET('/api/audit', { params: { query: { ...filterNow(), cursor } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });

/** The signed-in person. Pages below the shell render only once it has loaded. */
export const useSession = (): Me => useSuspenseQuery(meQuery).data;

/** A mutation that invalidates all queries afterwards, since every change adds at least an audit entry. */
export function useChange<Input, Output>(change: (input: Input) => Promise<Output>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: change, onSuccess: () => void queries.invalidateQueries() });
}

/** Returns the API's message, or a generic one when the service did not respond. */
export function sentenceOf(error: unknown): string {
  // The service may prefix its message with the error code, which is meant for programs.
  if (error instanceof ApiError) return asSentence(error.message.replace(`${error.code}: `, ''));
  return 'Mooring does not respond. Check your connection and try again.';
}

export function asSentence(text: string): string {
  // Domain names keep their case.
  const isName = /^\S+\.\S/.test(text);
  const capital = isName ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
