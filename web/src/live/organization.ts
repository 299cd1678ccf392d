import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { usePermissions } from '../permissions.ts';
import { useSession } from '../api.ts';
import { follow } from './follow.ts';

// Coalesces changes that arrive together into one refresh.
const gatherMs = 200;

/** Keeps every page up to date: one stream reports changes in the organization, and the affected queries are
 * refetched. */
export function useLiveUpdates(): void {
  const queries = useQueryClient();
  const organizationId = useSession().organization?.id;
  const isAllowed = usePermissions()('deployment:list');
  useEffect(() => {
    if (!organizationId || !isAllowed) return undefined;
    const leave = new AbortController();
    const refresh = new Refresh(queries);
    void follow('/api/events', {
      signal: leave.signal,
      onOpen: () => undefined,
      onEvent: ({ type, data }) => refresh.on(type, data),
      // Refused: the session has expired or the role has changed. The pages' own requests report it.
    }).catch(() => undefined);
    return () => leave.abort();
  }, [queries, organizationId, isAllowed]);
}

class Refresh {
  readonly #queries: QueryClient;
  readonly #seen = new Map<string, string>();
  #isConnected = false;
  #due = new Map<string, readonly string[]>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(queries: QueryClient) {
    this.#queries = queries;
  }

  on(type: string, data: Record<string, unknown>): void {
    if (type === 'ready') {
      // Events are not stored for disconnected clients.
      if (this.#isConnected) this.#plan([]);
      this.#isConnected = true;
    }
    if (type === 'change') this.#plan([]);
    if (type === 'backup_policy') for (const key of ['backup-policies', 'backups']) this.#plan([key]);
    if (type === 'deployment') this.#onDeployment(data as { id: string; projectId: string });
  }

  /** New log lines alone change nothing in lists. */
  #onDeployment({ id, projectId, ...state }: { id: string; projectId: string; lastSeq?: number }): void {
    const shown = JSON.stringify({ ...state, lastSeq: undefined });
    this.#plan(['deployment', id, 'steps']);
    if (this.#seen.get(id) === shown) return;
    this.#seen.set(id, shown);
    for (const key of [['deployment', id], ['project', projectId], ['deployments'], ['projects']]) this.#plan(key);
  }

  #plan(key: readonly string[]): void {
    this.#due.set(key.join(' '), key);
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      const due = this.#due.has('') ? [[]] : [...this.#due.values()];
      this.#due = new Map();
      this.#timer = undefined;
      for (const queryKey of due) void this.#queries.invalidateQueries({ queryKey });
    }, gatherMs);
  }
}
