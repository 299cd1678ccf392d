import { unwrap } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, projectsQuery, useChange } from '../../api.ts';
import type { Repository } from '../../githost-queries.ts';
import { toGit } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useToast } from '../../ui/toast.tsx';
import { NameToConfirm } from '../volumes/removal.tsx';
import { followersOf } from './git-words.ts';

type Props = { repository: Repository; onClose: () => void };

export function DeleteRepositoryDialog({ repository, onClose }: Props) {
  const { owner, name: repo, fullName } = repository;
  const may = usePermissions();
  const toast = useToast();
  const navigate = useNavigate();
  const [confirmed, setConfirmed] = useState('');
  const { data: projects = [] } = useQuery({ ...projectsQuery, enabled: may('project:list') });
  const followers = followersOf(projects, repository).map(({ name }) => name);
  const remove = useChange(async () => {
    await unwrap(client.DELETE('/api/githost/repos/{owner}/{repo}', { params: { path: { owner, repo } } }));
    toast(`${fullName} deleted`);
    await navigate(toGit());
  });
  return (
    <ConfirmDialog
      title={`Delete ${fullName}?`}
      confirm="Delete repository"
      isReady={confirmed === fullName}
      change={remove}
      details={
        <div className="grid gap-4">
          {followers.length > 0 && (
            <Notice kind="warn">
              Deployed from it: {followers.join(', ')}. Running releases keep running, but cannot be rebuilt.
            </Notice>
          )}
          <NameToConfirm name={fullName} value={confirmed} onChange={setConfirmed} />
        </div>
      }
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      The repository is deleted at the git host, with its code, issues and pull requests. This cannot be undone.
    </ConfirmDialog>
  );
}
