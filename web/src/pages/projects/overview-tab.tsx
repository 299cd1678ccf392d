import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { deploymentsOfQuery, type Project } from '../../api.ts';
import { toDeploymentsOf } from '../../paths.ts';
import { useMay } from '../../permissions.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { AdoptionSection } from '../adoption/adoption-section.tsx';
import { CloudSection } from '../cloud/cloud-section.tsx';
import { DeploymentRows } from '../deployments/deployment-rows.tsx';
import { ProjectFacts } from './project-facts.tsx';
import { useProject } from './project-layout.tsx';

/** What serves now, where it can be reached, and what was deployed last. */
export function OverviewTab() {
  const project = useProject();
  const may = useMay();
  return (
    <>
      <ProjectFacts project={project} />
      {project.source.type === 'services' && <AdoptionSection project={project} />}
      <CloudSection project={project} />
      {may('deployment:list') && <LatestDeployments project={project} />}
    </>
  );
}

function LatestDeployments({ project: { id, source } }: { project: Project }) {
  const deployments = useQuery(deploymentsOfQuery(id));
  const all = (
    <Link {...toDeploymentsOf(id)} className="rounded text-accent hover:underline">
      See all
    </Link>
  );
  return (
    <Section title="Latest deployments" aside={deployments.data?.length ? all : undefined}>
      <Loaded query={deployments}>
        {(list) =>
          list.length ? (
            <DeploymentRows deployments={list} titleOf={({ active, id }) => (active ? 'Serves now' : id)} />
          ) : (
            <EmptyState icon="project" title="Nothing is deployed yet">
              {source.type === 'services'
                ? 'Its services are deployed as they are listed. Where they were taken over, the cut-over is the first deployment.'
                : 'Deploy it from a folder with mooring deploy, or push to its branch.'}
            </EmptyState>
          )
        }
      </Loaded>
    </Section>
  );
}
