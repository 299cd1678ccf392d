import { type Schemas, unwrap } from '@mooring/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from '../../api.ts';

export type Detection = Schemas['Detection'];

/** The source of a project that is about to be created. */
export interface Candidate {
  /** The suggested name. */
  name: string;
  /** A description of the source. */
  origin: string;
  source: Schemas['ProjectSource'];
  /** The app's folder in the source. */
  root?: string | undefined;
  /** Set if the compose file of a source that is an app was chosen. */
  deploys?: 'compose' | undefined;
  uploadSessionId?: string;
  image?: { image: string; port: number | null };
  /** Files excluded from the upload. */
  leftOut?: string[];
}

/** Detects the kind of a candidate and how to build it. Images need no detection. */
export const detectionQuery = (candidate: Candidate) =>
  queryOptions({
    queryKey: ['detection', candidate.source, candidate.uploadSessionId, candidate.root, candidate.deploys],
    queryFn: async (): Promise<Detection | null> => {
      const { source, uploadSessionId: sessionId, root: rootDirectory, deploys } = candidate;
      if (sessionId)
        return (await unwrap(client.POST('/api/projects/folder/scan', { body: { sessionId, rootDirectory, deploys } })))
          .data;
      if (source.type !== 'git' && source.type !== 'githost') return null;
      const { type: _, ...place } = source;
      const body = { source: 'githost' as const, ...place, rootDirectory, deploys };
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
