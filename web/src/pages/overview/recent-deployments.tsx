import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Deployment, projectsQuery, recentDeploymentsQuery } from '../../api.ts';
import { toDeployment } from '../../paths.ts';
import { useMay } from '../../permissions.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Card, Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { StatusBadge } from '../deployments/status-badge.tsx';

/** The newest few of all projects. Before the first one there is nothing to say. */
export function RecentDeployments() {
  const may = useMay();
  const recent = useQuery(recentDeploymentsQuery);
  const projects = useQuery({ ...projectsQuery, enabled: may('project:list') });
  const nameOf = (id: string) => projects.data?.find((project) => project.id === id)?.name ?? id;
  if (recent.data?.length === 0) return null;
  return (
    <Section title="Recent deployments">
      <Loaded query={recent} lines={3}>
        {(deployments) => (
          <Card>
            <ul className="divide-y divide-line">
              {deployments.map((deployment) => (
                <li key={deployment.id}>
                  <Row deployment={deployment} project={nameOf(deployment.projectId)} />
                </li>
              ))}
            </ul>
          </Card>
        )}
      </Loaded>
    </Section>
  );
}

function Row({ deployment, project }: { deployment: Deployment; project: string }) {
  const { id, environment, branch, commitMessage, timing } = deployment;
  const what = [environment, branch, commitMessage?.split('\n', 1)[0]].filter(Boolean).join(' · ');
  return (
    <Link
      {...toDeployment(id)}
      className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 px-5 py-3 hover:bg-sunken"
    >
      <span className="min-w-0 flex-1 basis-56">
        <span className="block truncate font-medium">{project}</span>
        <span className="block truncate text-sm text-muted">{what}</span>
      </span>
      <span className="flex items-center gap-3 text-sm text-muted">
        <StatusBadge deployment={deployment} />
        <Time at={timing.createdAt} />
      </span>
    </Link>
  );
}
