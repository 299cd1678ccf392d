import { ApiError } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { type Deployment, deploymentQuery, stepsQuery, useMe } from '../../api.ts';
import { cloudTroubleIn } from '../../cloud-error.ts';
import { toVolumes } from '../../paths.ts';
import { CloudTrouble } from '../../ui/cloud-trouble.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { ElsewhereBadge } from '../cloud/place-badge.tsx';
import { DecisionBox, isPending } from './decision-box.tsx';
import { DeploymentFacts } from './deployment-facts.tsx';
import { QuestionBox } from './question-box.tsx';
import { ServiceTable } from './service-table.tsx';
import { StatusBadge } from './status-badge.tsx';
import { StepList } from './step-list.tsx';

/** One deployment, as a commit of the git host links to it. */
export function DeploymentPage() {
  const { id } = useParams({ from: '/signed-in/deployments/$id' });
  const deployment = useQuery(deploymentQuery(id));
  const isAway = cloudTroubleIn(deployment.error) !== undefined;
  if (deployment.error instanceof ApiError && deployment.error.status === 404) return <NotHere />;
  return (
    <Page
      title="Deployment"
      lead={<span className="font-mono text-sm [overflow-wrap:anywhere]">{id}</span>}
      action={deployment.data && <Badges deployment={deployment.data} />}
    >
      {deployment.data && isAway && (
        <CloudTrouble
          error={deployment.error}
          isAsking={deployment.isFetching}
          isStale
          retry={() => void deployment.refetch()}
        />
      )}
      <Loaded key={id} query={deployment} lines={6}>
        {(data) => <Details deployment={data} isAway={isAway} />}
      </Loaded>
    </Page>
  );
}

const Badges = ({ deployment }: { deployment: Deployment }) => (
  <span className="flex flex-wrap gap-2">
    <ElsewhereBadge target={deployment.deployTarget} />
    <StatusBadge deployment={deployment} />
  </span>
);

function Details({ deployment, isAway }: { deployment: Deployment; isAway: boolean }) {
  // While the cloud is away one question is enough; once it answers, the steps are asked for again.
  const steps = useQuery({ ...stepsQuery(deployment.id), enabled: !isAway });
  const isStack = deployment.services.some(({ name, change }) => name !== 'app' || change !== null);
  return (
    <>
      {steps.data?.prompt && <QuestionBox id={deployment.id} prompt={steps.data.prompt} />}
      {isPending(deployment) ? <DecisionBox deployment={deployment} /> : <Failure deployment={deployment} />}
      {steps.data?.warnings.map(({ at, message }) => (
        <Notice key={at + message} kind="warn">
          <p>{message}</p>
          <p className="mt-1">
            <Link {...toVolumes(deployment.projectId)} className="underline">
              Volumes of the project
            </Link>
          </p>
        </Notice>
      ))}
      <Section title="What it is">
        <DeploymentFacts deployment={deployment} />
      </Section>
      {isStack && (
        <Section title="Services">
          <ServiceTable deployment={deployment} />
        </Section>
      )}
      <Section title="Steps">
        {isAway && !steps.data ? (
          <p className="text-sm text-muted">They are shown when the cloud answers.</p>
        ) : (
          <Loaded query={steps} lines={4}>
            {(data) => <StepList steps={data.steps} isFinished={deployment.timing.finishedAt !== null} />}
          </Loaded>
        )}
      </Section>
    </>
  );
}

function Failure({ deployment: { error, status } }: { deployment: Deployment }) {
  if (!error) return null;
  const ended = status === 'cancelled' ? 'Cancelled' : 'Failed';
  const title = error.step ? `${ended} at ${error.step}` : ended;
  return (
    <Notice kind="danger">
      <p className="font-medium">{status === 'rejected' ? 'Some services failed, and it was rejected' : title}</p>
      <p className="whitespace-pre-wrap">{error.message}</p>
      {error.excerpt.length > 0 && (
        <pre
          tabIndex={0}
          className="mt-2 overflow-x-auto rounded-md bg-sunken px-3 py-2 font-mono text-xs leading-5 text-ink"
        >
          {error.excerpt.join('\n')}
        </pre>
      )}
      {error.hint && status !== 'rejected' && <p className="mt-1">{error.hint}</p>}
    </Notice>
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
