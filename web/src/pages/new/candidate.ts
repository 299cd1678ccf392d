import { type Schemas, unwrap } from '@mooring/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../../api.ts';

export type Detection = Schemas['Detection'];

/** What is about to become a project. */
export interface Candidate {
  /** The name that its source suggests. */
  name: string;
  /** Where it comes from, in words. */
  origin: string;
  source: Schemas['ProjectSource'];
  /** The folder of the app in the source. */
  root?: string | undefined;
  uploadSessionId?: string;
  image?: { image: string; port: number | null };
  /** Files that were not uploaded. */
  leftOut?: string[];
}

/** What the source of a candidate is, and how it would be built. An image is what it is. */
export const detectionQuery = (candidate: Candidate) =>
  queryOptions({
    queryKey: ['detection', candidate.source, candidate.uploadSessionId ?? null, candidate.root ?? null],
    queryFn: async (): Promise<Detection | null> => {
      const { source, uploadSessionId: sessionId, root: rootDirectory } = candidate;
      if (sessionId)
        return (await unwrap(client.POST('/api/projects/folder/scan', { body: { sessionId, rootDirectory } }))).data;
      if (source.type !== 'git' && source.type !== 'githost') return null;
      const { type: _, ...place } = source;
      const body = { source: 'githost' as const, ...place, rootDirectory };
      return (await unwrap(client.POST('/api/deployments/prepare', { body }))).data;
    },
    retry: false,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });

/** `git@github.com:acme/shop.git` -> `shop`. */
export const nameOfUrl = (url: string): string =>
  url
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split(/[/:]/)
    .at(-1) ?? '';
