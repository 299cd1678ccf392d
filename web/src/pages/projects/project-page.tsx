import { ApiError } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { deploymentsOfQuery, type Project, projectQuery, useMe } from '../../api.ts';
import { useMay } from '../../permissions.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { DeploymentRows } from '../deployments/deployment-rows.tsx';
import { PlaceBadge } from '../cloud/place-badge.tsx';
import { AdoptionSection } from '../adoption/adoption-section.tsx';
import { CloudSection } from '../cloud/cloud-section.tsx';
import { NamesAndVisitors } from './names-and-visitors.tsx';
import { ProjectFacts } from './project-facts.tsx';

/** One project: where it answers, under which names, how often it is asked, and what was deployed. */
export function ProjectPage() {
  const { id } = useParams({ from: '/signed-in/projects/$id' });
  const project = useQuery(projectQuery(id));
  if (project.error instanceof ApiError && project.error.status === 404) return <NotHere />;
  return (
    <Page
      title={project.data?.name ?? 'Project'}
      action={project.data && <PlaceBadge target={project.data.deployTarget} />}
    >
      <Loaded query={project} lines={6}>
        {/* What was begun in one project does not go on in another. */}
        {(data) => <Details key={id} project={data} />}
      </Loaded>
    </Page>
  );
}

function Details({ project }: { project: Project }) {
  const may = useMay();
  return (
    <>
      <ProjectFacts project={project} />
      {project.source.type === 'services' && <AdoptionSection project={project} />}
      <CloudSection project={project} />
      <NamesAndVisitors project={project} />
      {may('deployment:list') && <LatestDeployments project={project} />}
    </>
  );
}

function LatestDeployments({ project: { id, source } }: { project: Project }) {
  const deployments = useQuery(deploymentsOfQuery(id));
  return (
    <Section title="Latest deployments">
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

/** Deleted, or of an organization that the person does not work in at the moment. */
function NotHere() {
  const { organization } = useMe();
  return (
    <Page title="Project">
      <EmptyState icon="project" title="There is no such project here">
        {organization?.name} has none with this address. It may have been deleted, or belong to another organization.
      </EmptyState>
    </Page>
  );
}
