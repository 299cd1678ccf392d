import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Project, projectsQuery } from '../../api.ts';
import type { Repository } from '../../githost-queries.ts';
import { toNew, toProject, toRepository } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { buttonLook } from '../../ui/button.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { followersOf } from './git-words.ts';

export function RepositoryTable({ repositories }: { repositories: Repository[] }) {
  const may = usePermissions();
  const { data: projects = [] } = useQuery({ ...projectsQuery, enabled: may('project:list') });
  const columns: Column<Repository>[] = [
    { title: 'Repository', place: 'lead', cell: (repository) => <Name repository={repository} /> },
    {
      title: 'Deployed as',
      cell: (repository) => <Followers projects={followersOf(projects, repository)} />,
    },
    { title: 'Last push', cell: ({ pushedAt }) => <LastPush at={pushedAt} /> },
    ...(may('project:write') && may('deployment:write') ? [deployColumn] : []),
  ];
  return <Table label="Repositories" rows={repositories} keyOf={({ fullName }) => fullName} columns={columns} />;
}

const deployColumn: Column<Repository> = {
  title: 'Actions',
  place: 'actions',
  cell: ({ fullName }) => (
    <Link {...toNew({ from: 'git', repo: fullName })} className={buttonLook({ size: 'small' })}>
      Deploy<span className="sr-only"> {fullName}</span>
    </Link>
  ),
};

function Name({ repository: { fullName, description, private: isPrivate, archived } }: { repository: Repository }) {
  return (
    <Link {...toRepository(fullName)} className="block min-w-0 rounded hover:text-accent">
      <span className="flex min-w-0 items-center gap-2">
        <span className="truncate font-medium">{fullName}</span>
        {isPrivate && <Badge>Private</Badge>}
        {archived && <Badge kind="warn">Archived</Badge>}
      </span>
      {description && <span className="block truncate text-sm text-muted">{description}</span>}
    </Link>
  );
}

const shownProjects = 2;

function Followers({ projects }: { projects: Project[] }) {
  const may = usePermissions();
  if (!projects.length) return <span className="text-sm text-muted">–</span>;
  const more = projects.length - shownProjects;
  return (
    <span className="grid min-w-0 justify-items-end gap-0.5 text-sm md:justify-items-start">
      {projects.slice(0, shownProjects).map(({ id, name }) =>
        may('project:read') ? (
          <Link key={id} {...toProject(id)} className="max-w-48 truncate rounded text-accent hover:underline">
            {name}
          </Link>
        ) : (
          <span key={id}>{name}</span>
        ),
      )}
      {more > 0 && <span className="text-muted">and {more} more</span>}
    </span>
  );
}

const LastPush = ({ at }: { at: string | null }) => (
  <span className="text-sm text-muted">{at ? <Time at={at} /> : 'Never'}</span>
);
