import { ApiError } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { type Repository, repositoryQuery } from '../../githost-queries.ts';
import { toGit, toNew } from '../../paths.ts';
import { usePermissions, useResourcePermissions } from '../../permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { buttonLook } from '../../ui/button.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { MenuButton } from '../../ui/menu-button.tsx';
import { MenuItem } from '../../ui/menu.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { DeleteRepositoryDialog } from './delete-repository-dialog.tsx';
import { FollowersSection } from './followers-section.tsx';
import { hostOf, sourceTitles } from './git-words.ts';
import { WebhookSection } from './webhook-section.tsx';

/** One repository: its details, the projects that deploy it, and how Mooring is notified of pushes. */
export function RepositoryPage() {
  const { owner, repo } = useParams({ from: '/signed-in/git/repositories/$owner/$repo' });
  const repository = useQuery(repositoryQuery(owner, repo));
  const mayOn = useResourcePermissions();
  const isMissing = repository.error instanceof ApiError && repository.error.status === 404;
  return (
    <Page
      title={repository.data?.fullName ?? `${owner}/${repo}`}
      lead={repository.data?.description ?? undefined}
      action={repository.data && <Actions repository={repository.data} />}
      tabs={<Back />}
    >
      {isMissing ? (
        <EmptyState icon="git" title="Repository not found">
          It was deleted or renamed, or the connected accounts do not have access to it.
        </EmptyState>
      ) : (
        <Loaded query={repository} lines={6}>
          {(data) => (
            <>
              <Section title="Repository">
                <RepositoryFacts repository={data} />
              </Section>
              <FollowersSection repository={data} />
              {mayOn('repository', data.fullName, 'list') && <WebhookSection repository={data} />}
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}

const Back = () => (
  <Link {...toGit()} className="inline-flex items-center gap-1 rounded text-sm text-accent hover:underline">
    <Icon name="right" size={14} className="rotate-180" />
    All repositories
  </Link>
);

function Actions({ repository }: { repository: Repository }) {
  const { fullName, webUrl, permissions } = repository;
  const mayDelete = useResourcePermissions()('repository', fullName, 'admin') && permissions.admin;
  const may = usePermissions();
  const [isDeleting, setIsDeleting] = useState(false);
  return (
    <div className="flex flex-wrap items-center gap-2">
      {may('project:write') && may('deployment:write') && (
        <Link {...toNew({ from: 'git', repo: fullName })} className={buttonLook({ kind: 'primary' })}>
          Deploy
        </Link>
      )}
      <a href={webUrl} target="_blank" rel="noreferrer" className={buttonLook()}>
        Open at {hostOf(webUrl)}
        <Icon name="external" size={16} />
        <span className="sr-only">(opens in a new tab)</span>
      </a>
      {mayDelete && (
        <MenuButton label={`Actions for ${fullName}`}>
          <MenuItem danger onSelect={() => setIsDeleting(true)}>
            Delete repository
          </MenuItem>
        </MenuButton>
      )}
      {isDeleting && <DeleteRepositoryDialog repository={repository} onClose={() => setIsDeleting(false)} />}
    </div>
  );
}

function RepositoryFacts({ repository }: { repository: Repository }) {
  const { private: isPrivate, archived, defaultBranch, pushedAt, cloneUrl, source } = repository;
  return (
    <Facts
      rows={[
        [
          'Visibility',
          <span key="visibility" className="flex gap-2">
            {isPrivate ? 'Private' : 'Public'}
            {archived && <Badge kind="warn">Archived</Badge>}
          </span>,
        ],
        ['Default branch', defaultBranch ?? 'None: nothing was pushed yet'],
        ['Last push', pushedAt ? <Time at={pushedAt} /> : 'Never'],
        ['Clone URL', <CopyText key="clone" label="Copy the clone URL" text={cloneUrl} />],
        ['Connected by', source && sourceTitles[source]],
        ['Access', accessOf(repository)],
      ]}
    />
  );
}

const accessOf = ({ permissions: { admin, push } }: Repository): string =>
  admin ? 'Read, push and administer' : push ? 'Read and push' : 'Read';
