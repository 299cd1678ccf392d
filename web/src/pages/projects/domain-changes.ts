import { unwrap } from '@mooring/client';
import { useEffect } from 'react';
import { client, type Domain, useChange } from '../../api.ts';
import { useToast } from '../../ui/toast.tsx';

type Kind = 'check' | 'renew' | 'primary';

const words: Record<Kind, string> = {
  check: 'Looking where it leads …',
  renew: 'A new certificate is being ordered. This may take a minute …',
  primary: 'Making it the primary one …',
};

/** What can be done to a name without a dialog, one at a time. */
export interface DomainChanges {
  begin(kind: Kind): void;
  /** What is under way, as a sentence. */
  running: string | undefined;
  error: unknown;
}

/** A new name is looked at right away, so that whoever added it learns what is left to do. */
export function useDomainChanges(domain: Domain, isNew: boolean): DomainChanges {
  const toast = useToast();
  const change = useChange(async (kind: Kind) => {
    const news = await changeOf(domain, kind);
    if (news) toast(news);
  });
  const { mutate } = change;
  useEffect(() => {
    if (isNew) mutate('check');
  }, [isNew, mutate]);
  return {
    begin: (kind) => change.mutate(kind),
    running: change.isPending ? words[change.variables] : undefined,
    error: change.error,
  };
}

/** Gives what to say in passing; what is wrong with a name stands beside it. */
async function changeOf({ projectId: id, name }: Domain, kind: Kind): Promise<string | undefined> {
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
  return `${name} is the primary one`;
}
