import type { OutboundReach } from '../../../lib/outbound.ts';
import type { GitHubAddresses } from './addresses.ts';
import type { GitHubCredential } from './credential.ts';

/** Request to the API, or to an OAuth endpoint of the web address. */
export interface GitHubCall {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Relative to the API address, or to the web address if `at` is `web`. A URL comes from the host's `Link` header. */
  path: string | URL;
  at?: 'api' | 'web';
  query?: Record<string, string | number | undefined>;
  body?: object;
  credential: GitHubCredential | undefined;
  /** A cached response younger than this is returned without a request. */
  maxAgeMs?: number;
  maxBytes?: number;
  deadlineMs?: number;
  signal?: AbortSignal | undefined;
}

export interface GitHubOptions extends GitHubAddresses {
  reach: OutboundReach;
  /** Certificate of a private CA, trusted in addition to the public ones. */
  ca?: string;
}
