import { type Schemas, unwrap } from '@mooring/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client } from './api.ts';

export type GitAccount = Schemas['GitHostAccount'];
export type Repository = Schemas['GitHostRepository'];
export type Delivery = Schemas['Delivery'];
export type Webhook = Schemas['Webhook'];
export type ConnectAnswer = Schemas['GitHostConnect'];

const getStatus = async () => unwrap(client.GET('/api/githost/status'));
export type GitStatus = Awaited<ReturnType<typeof getStatus>>;

export const gitStatusQuery = queryOptions({ queryKey: ['githost', 'status'], queryFn: getStatus });

/** Whether the git host's command-line client is signed in on this machine; self-hosted only. */
export const localStatusQuery = queryOptions({
  queryKey: ['githost', 'local-status'],
  queryFn: async () => unwrap(client.GET('/api/githost/local-status')),
});

/** The newest device login of the signed-in person, polled at the interval that the git host sets. */
export const devicePollQuery = queryOptions({
  queryKey: ['githost', 'device'],
  queryFn: async () => unwrap(client.GET('/api/githost/connect/poll')),
  staleTime: 0,
  refetchInterval: ({ state: { data } }) =>
    data?.status === 'pending' ? (data.intervalSeconds ?? 5) * 1000 : (false as const),
  refetchIntervalInBackground: true,
});

export const repositoriesQuery = queryOptions({
  queryKey: ['githost', 'repositories'],
  queryFn: async () => (await unwrap(client.GET('/api/githost/repos'))).data,
  // Listing sends a request to the git host for every account.
  staleTime: 60_000,
});

export const repositoryQuery = (owner: string, repo: string) =>
  queryOptions({
    queryKey: ['githost', 'repository', owner, repo],
    queryFn: async () => {
      const params = { path: { owner, repo } };
      return (await unwrap(client.GET('/api/githost/repos/{owner}/{repo}', { params }))).data;
    },
  });

export const webhooksQuery = (owner: string, repo: string) =>
  queryOptions({
    queryKey: ['githost', 'repository', owner, repo, 'webhooks'],
    queryFn: async () => {
      const params = { path: { owner, repo } };
      return (await unwrap(client.GET('/api/githost/repos/{owner}/{repo}/webhooks', { params }))).data;
    },
  });

const inWorkMs = 2000;

/** Polls while a delivery is being processed: no event reports its end. */
export const deliveriesQuery = infiniteQueryOptions({
  queryKey: ['githost', 'deliveries'],
  queryFn: ({ pageParam: cursor }) =>
    unwrap(client.GET('/api/githost/deliveries', { params: { query: { limit: 25, cursor } } })),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: (page) => page.nextCursor ?? undefined,
  refetchInterval: ({ state: { data } }) =>
    data?.pages.some((page) => page.data.some(({ status }) => status === 'received')) ? inWorkMs : (false as const),
});

/** The last commit that a project has seen of its repository, and why it cannot follow the repository. */
export const projectLinkQuery = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'link'],
    queryFn: async () => (await unwrap(client.GET('/api/projects/{id}/link', { params: { path: { id } } }))).data,
  });
