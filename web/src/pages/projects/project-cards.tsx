import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { allActiveReleasesQuery, type Deployment, latestDeploymentsQuery, type Project } from '../../api.ts';
import { toProject } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { Time } from '../../ui/time.tsx';
import { CloudBadge } from '../cloud/deploy-target-badge.tsx';
import { LastDeploymentBadge, ServingBadge } from './project-status.tsx';

/** Projects with their address, whether they serve, and their latest deployment. */
export function ProjectCards({ projects }: { projects: Project[] }) {
  const may = usePermissions();
  const enabled = may('deployment:list');
  const { data: latest } = useQuery({ ...latestDeploymentsQuery, enabled });
  const { data: active } = useQuery({ ...allActiveReleasesQuery, enabled });
  return (
    <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
      {projects.map((project) => (
        <li key={project.id}>
          <ProjectCard
            project={project}
            latest={active && latest?.find(({ projectId }) => projectId === project.id)}
            isServing={active?.some(({ projectId }) => projectId === project.id) ?? false}
          />
        </li>
      ))}
    </ul>
  );
}

type CardProps = { project: Project; latest: Deployment | undefined; isServing: boolean };

function ProjectCard({ project, latest, isServing }: CardProps) {
  const { id, name, url, deployTarget } = project;
  return (
    <Link
      {...toProject(id)}
      className="flex h-full flex-col gap-3 rounded-xl border border-line bg-surface p-5 shadow-card transition-colors hover:border-accent"
    >
      <span className="flex items-start justify-between gap-3">
        <span className="min-w-0 truncate font-semibold">{name}</span>
        {latest && <ServingBadge latest={latest} isServing={isServing} />}
      </span>
      <span className="truncate text-sm text-muted">{url.replace(/^https?:\/\//, '')}</span>
      <span className="mt-auto flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-muted">
        {latest && <LastDeploymentBadge latest={latest} isServing={isServing} />}
        <span className="flex min-w-0 flex-1 basis-44 items-center justify-between gap-3">
          <span className="min-w-0 truncate">
            {latest ? (latest.commitMessage?.split('\n', 1)[0] ?? sourceWords(project)) : 'Not deployed yet'}
          </span>
          <span className="flex shrink-0 items-center gap-2">
            <CloudBadge target={deployTarget} />
            {latest && <Time at={latest.timing.createdAt} />}
          </span>
        </span>
      </span>
    </Link>
  );
}

/** A short description of the source. */
export function sourceWords({ source }: Pick<Project, 'source'>): string {
  if (source.type === 'githost') return `${source.owner}/${source.repo}`;
  if (source.type === 'git') return source.url.replace(/^https?:\/\//, '');
  if (source.type === 'local') return source.path;
  return source.type === 'upload' ? 'Uploaded folder' : 'Services';
}
