import { ApiError } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type Deployment, deploymentQuery, stepsQuery, useMe } from '../../api.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { DeploymentFacts } from './deployment-facts.tsx';
import { StatusBadge } from './status-badge.tsx';
import { StepList } from './step-list.tsx';

/** One deployment, as a commit of the git host links to it. */
export function DeploymentPage() {
  const { id } = useParams({ from: '/signed-in/deployments/$id' });
  const deployment = useQuery(deploymentQuery(id));
  if (deployment.error instanceof ApiError && deployment.error.status === 404) return <NotHere />;
  return (
    <Page
      title="Deployment"
      lead={<span className="font-mono text-sm [overflow-wrap:anywhere]">{id}</span>}
      action={deployment.data && <StatusBadge status={deployment.data.status} />}
    >
      <Loaded query={deployment} lines={6}>
        {(data) => <Details deployment={data} />}
      </Loaded>
    </Page>
  );
}

function Details({ deployment }: { deployment: Deployment }) {
  const steps = useQuery(stepsQuery(deployment.id));
  const { error } = deployment;
  return (
    <>
      {error && (
        <Notice kind="danger">
          <p className="font-medium">{error.step ? `It failed at ${error.step}` : 'It failed'}</p>
          <p className="whitespace-pre-wrap">{error.message}</p>
          {error.hint && <p className="mt-1">{error.hint}</p>}
        </Notice>
      )}
      <Section title="What it is">
        <DeploymentFacts deployment={deployment} />
      </Section>
      <Section title="Steps">
        <Loaded query={steps} lines={4}>
          {(data) => <StepList steps={data.steps} />}
        </Loaded>
      </Section>
    </>
  );
}

/** Deleted, or of an organization that the person does not work in at the moment. */
function NotHere() {
  const { organization } = useMe();
  return (
    <Page title="Deployment">
      <EmptyState icon="overview" title="There is no such deployment here">
        {organization?.name} has none with this address. It may have been deleted, or belong to another organization.
      </EmptyState>
    </Page>
  );
}
