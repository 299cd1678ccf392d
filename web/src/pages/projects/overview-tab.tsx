import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  activeReleasesQuery,
  type Deployment,
  deploymentsOfQuery,
  isUnfinishedDeployment,
  type Project,
} from '../../api.ts';
import { useIsSelfHosted } from '../../cloud-queries.ts';
import { toDeployment, toDeploymentsOf } from '../../paths.ts';
import { usePermissions } from '../../permissions.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { AdoptionSection } from '../adoption/adoption-section.tsx';
import { ProjectCloudSection } from '../cloud/cloud-section.tsx';
import { DeploymentRows } from '../deployments/deployment-rows.tsx';
import { DeployButton } from './deploy-button.tsx';
import { production } from './environments.ts';
import { ServingRelease } from './serving-release.tsx';
import { ProjectFacts } from './project-facts.tsx';
import { useProject } from './project-layout.tsx';

/** The active release, its addresses, and the latest deployments. */
export function OverviewTab() {
  const project = useProject();
  const may = usePermissions();
  const isSelfHosted = useIsSelfHosted();
  const deployments = useQuery({ ...deploymentsOfQuery(project.id), enabled: may('deployment:list') });
  const releases = useQuery({ ...activeReleasesQuery(project.id), enabled: may('deployment:list') });
  // After a move to or from the cloud, the release at the previous location may still serve.
  const isWhereItLives = ({ deployTarget }: Deployment) =>
    (deployTarget === 'cloud') === (project.deployTarget === 'cloud') || !isSelfHosted;
  const isInProduction = ({ environment }: Deployment) => environment === production;
  const release = releases.data?.find((each) => isInProduction(each) && isWhereItLives(each));
  const latest = deployments.data?.find(isInProduction);
  const moving = deployments.data?.find(isUnfinishedDeployment);
  return (
    <>
      {moving && <UnderWay deployment={moving} />}
      {release && latest?.status === 'failed' && <LastFailed deployment={latest} />}
      {release && <ServingRelease project={project} release={release} />}
      {project.source.type === 'services' && <AdoptionSection project={project} />}
      <ProjectCloudSection project={project} />
      {may('deployment:list') && <LatestDeployments project={project} />}
      <Section title="Details">
        <ProjectFacts
          project={project}
          release={release}
          isActive={!releases.data || !deployments.data || Boolean(release ?? moving)}
        />
      </Section>
    </>
  );
}

const UnderWay = ({ deployment: { id, status } }: { deployment: Deployment }) => (
  <Notice kind={status === 'partial_failure' ? 'warn' : 'plain'}>
    <span className="flex flex-wrap items-center justify-between gap-3">
      {status === 'partial_failure' ? 'A deployment needs your decision.' : 'A deployment is running.'}
      <Link {...toDeployment(id)} className="rounded font-medium underline">
        {status === 'partial_failure' ? 'Decide' : 'Follow it'}
      </Link>
    </span>
  </Notice>
);

const LastFailed = ({ deployment: { id } }: { deployment: Deployment }) => (
  <Notice kind="warn">
    <span className="flex flex-wrap items-center justify-between gap-3">
      The last deployment failed. The previous release keeps serving.
      <Link {...toDeployment(id)} className="rounded font-medium underline">
        See why
      </Link>
    </span>
  </Notice>
);

function LatestDeployments({ project }: { project: Project }) {
  const { id, source } = project;
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
            <DeploymentRows deployments={list} />
          ) : (
            <EmptyState icon="project" title="Not deployed yet" action={<DeployButton project={project} />}>
              {source.type === 'services'
                ? 'The cut-over of adopted services is their first deployment.'
                : 'The first deployment builds and starts the app.'}
            </EmptyState>
          )
        }
      </Loaded>
    </Section>
  );
}
