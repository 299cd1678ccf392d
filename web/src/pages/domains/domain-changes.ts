import { unwrap } from '@mooring/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client, type Domain, domainsQuery, useChange } from '../../api.ts';
import { useToast } from '../../ui/toast.tsx';

export type DomainChange = 'check' | 'renew' | 'primary';

/** Changes to a domain that need no dialog, one at a time. */
export interface DomainChanges {
  begin(kind: DomainChange): void;
  /** The change in progress. */
  running: DomainChange | undefined;
  /** The change that failed last. */
  failed: DomainChange | undefined;
  error: unknown;
}

/** A new domain is checked right away, to show the remaining steps. */
export function useDomainChanges(domain: Domain, isNew: boolean): DomainChanges {
  const toast = useToast();
  const queries = useQueryClient();
  const change = useChange(async (kind: DomainChange) => {
    try {
      const news = await changeOf(domain, kind);
      if (news) toast(news);
    } finally {
      // A failed order changes the domain too.
      void queries.invalidateQueries({ queryKey: domainsQuery(domain.projectId).queryKey });
    }
  });
  const { mutate } = change;
  useEffect(() => {
    if (isNew) mutate('check');
  }, [isNew, mutate]);
  return {
    begin: (kind) => change.mutate(kind),
    running: change.isPending ? change.variables : undefined,
    failed: change.isError ? change.variables : undefined,
    error: change.error,
  };
}

/** Returns the text of the toast, if any. */
async function changeOf({ projectId: id, name }: Domain, kind: DomainChange): Promise<string | undefined> {
  const params = { path: { id, name } };
  if (kind === 'check') {
    const { data } = await unwrap(client.POST('/api/projects/{id}/domains/{name}/check', { params }));
    return data.pointing?.status === 'here' ? data.pointing.message : undefined;
  }
  if (kind === 'renew') {
    await unwrap(client.POST('/api/deployments/ssl/renew', { body: { domain: name } }));
    return `${name} has a new certificate`;
  }
  await unwrap(client.PATCH('/api/projects/{id}/domains/{name}', { params, body: { isPrimary: true } }));
  return `${name} is the primary domain`;
}
