import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, sentenceOf, useChange } from '../../api.ts';
import { type Repository, type Webhook, webhooksQuery } from '../../githost-queries.ts';
import { useResourcePermissions } from '../../permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { useToast } from '../../ui/toast.tsx';

/** How Mooring is notified of pushes: by a webhook, or by polling if there is none. */
export function WebhookSection({ repository }: { repository: Repository }) {
  const hooks = useQuery(webhooksQuery(repository.owner, repository.name));
  return (
    <Section title="Webhook">
      <Loaded query={hooks} lines={2}>
        {(all) => (
          <Card className="grid grid-cols-1 gap-4 p-5">
            <Own repository={repository} hook={all.find(({ ours }) => ours)} />
            <Others hooks={all.filter(({ ours }) => !ours)} />
          </Card>
        )}
      </Loaded>
    </Section>
  );
}

function Own({ repository, hook }: { repository: Repository; hook: Webhook | undefined }) {
  const mayOn = useResourcePermissions();
  const [isRemoving, setIsRemoving] = useState(false);
  const register = useRegister(repository);
  const { fullName } = repository;
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <p className="flex flex-wrap items-center gap-2.5 font-medium">
            {hook ? 'Push webhook' : 'No push webhook'}
            {hook && (hook.active ? <Badge kind="good">Active</Badge> : <Badge kind="warn">Disabled</Badge>)}
          </p>
          <p className="mt-0.5 text-sm text-muted [overflow-wrap:anywhere]">{meaningOf(hook)}</p>
          {hook && <p className="mt-1 font-mono text-[0.8125rem] text-muted [overflow-wrap:anywhere]">{hook.url}</p>}
        </div>
        <div className="flex flex-wrap gap-2">
          {mayOn('repository', fullName, 'write') && !hook?.active && (
            <Button kind="primary" size="small" busy={register.isPending} onClick={() => register.mutate(undefined)}>
              {hook ? 'Enable webhook' : 'Register webhook'}
            </Button>
          )}
          {hook && mayOn('repository', fullName, 'admin') && (
            <Button size="small" onClick={() => setIsRemoving(true)}>
              Remove webhook
            </Button>
          )}
        </div>
      </div>
      {Boolean(register.error) && (
        <Notice kind="danger" alert>
          {sentenceOf(register.error)}
        </Notice>
      )}
      {isRemoving && hook && (
        <RemoveWebhookDialog repository={repository} hook={hook} onClose={() => setIsRemoving(false)} />
      )}
    </>
  );
}

function meaningOf(hook: Webhook | undefined): string {
  if (!hook)
    return 'Mooring polls the branches that projects follow, unless a GitHub App already reports pushes. With a webhook, pushes are deployed within seconds.';
  return hook.active
    ? 'The git host reports pushes, and projects that follow the branch are deployed within seconds.'
    : 'The webhook is disabled at the git host. Until it is enabled, Mooring polls the branches instead.';
}

function Others({ hooks }: { hooks: Webhook[] }) {
  if (!hooks.length) return null;
  return (
    <div className="border-t border-line pt-4">
      <p className="text-sm text-muted">Other webhooks of this repository, which Mooring does not manage:</p>
      <ul className="mt-1.5 grid gap-1">
        {hooks.map(({ id, url, events, active }) => (
          <li key={id} className="text-sm [overflow-wrap:anywhere]">
            <code className="font-mono text-[0.8125rem]">{url}</code>{' '}
            <span className="text-muted">
              {events.join(', ')}
              {!active && ', disabled'}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const pathOf = ({ owner, name: repo }: Repository) => ({ path: { owner, repo } });

function useRegister(repository: Repository) {
  const toast = useToast();
  return useChange(async () => {
    await unwrap(client.POST('/api/githost/repos/{owner}/{repo}/webhooks', { params: pathOf(repository) }));
    toast(`Webhook of ${repository.fullName} registered`);
  });
}

type RemoveProps = { repository: Repository; hook: Webhook; onClose: () => void };

function RemoveWebhookDialog({ repository, hook, onClose }: RemoveProps) {
  const toast = useToast();
  const remove = useChange(async () => {
    const { data } = await unwrap(
      client.DELETE('/api/githost/repos/{owner}/{repo}/webhooks', {
        params: pathOf(repository),
        body: { hookId: hook.id },
      }),
    );
    toast(data.deleted ? 'Webhook removed' : 'Webhook removed here. Another organization still uses it');
    onClose();
  });
  return (
    <ConfirmDialog
      title={`Remove the webhook of ${repository.fullName}?`}
      confirm="Remove webhook"
      change={remove}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      Pushes are still deployed, but later: Mooring polls the branches that projects follow.
    </ConfirmDialog>
  );
}
