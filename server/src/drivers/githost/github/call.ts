import type { Reach } from '../../../lib/outbound.ts';
import type { GitHubAddresses } from './addresses.ts';
import type { GitHubCredential } from './credential.ts';

/** One call of the API, or of a page that programs use too. */
export interface GitHubCall {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below the API's address; `web` is below that of the pages. A URL is what the host has named itself. */
  path: string | URL;
  at?: 'api' | 'web';
  query?: Record<string, string | number | undefined>;
  body?: object;
  credential: GitHubCredential | undefined;
  /** An answer that is not older than this is as good as another one. */
  maxAgeMs?: number;
  maxBytes?: number;
  deadlineMs?: number;
  signal?: AbortSignal | undefined;
}

export interface GitHubOptions extends GitHubAddresses {
  reach: Reach;
  /** The certificate of an authority of one's own, besides the usual ones. */
  ca?: string;
}
