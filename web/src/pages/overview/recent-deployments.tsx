import { useQuery } from '@tanstack/react-query';
import { projectsQuery, recentDeploymentsQuery } from '../../api.ts';
import { usePermissions } from '../../permissions.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { DeploymentRows } from '../deployments/deployment-rows.tsx';

/** The newest few of all projects. Hidden before the first one. */
export function RecentDeployments() {
  const may = usePermissions();
  const recent = useQuery(recentDeploymentsQuery);
  const projects = useQuery({ ...projectsQuery, enabled: may('project:list') });
  const nameOf = (id: string) => projects.data?.find((project) => project.id === id)?.name ?? id;
  if (recent.data?.length === 0) return null;
  return (
    <Section title="Recent deployments">
      <Loaded query={recent} lines={3}>
        {(deployments) => <DeploymentRows deployments={deployments} titleOf={({ projectId }) => nameOf(projectId)} />}
      </Loaded>
    </Section>
  );
}
