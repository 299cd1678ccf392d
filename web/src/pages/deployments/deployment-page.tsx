import { ApiError } from '@mooring/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import {
  type Deployment,
  deploymentQuery,
  isUnfinishedDeployment,
  projectQuery,
  stepsQuery,
  useSession,
} from '../../api.ts';
import { cloudTroubleIn } from '../../cloud-error.ts';
import { toDeploymentsOf, toVolumes } from '../../paths.ts';
import { ProjectContext, usePermissions } from '../../permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CloudTrouble } from '../../ui/cloud-trouble.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { CloudBadge } from '../cloud/deploy-target-badge.tsx';
import { BuildLogView } from './build-log/build-log-view.tsx';
import { ChangesSection } from './changes-section.tsx';
import { DecisionBox } from './decision-box.tsx';
import { isPending } from './deployment-actions.ts';
import { DeploymentFacts } from './deployment-facts.tsx';
import { ActionButton, DeploymentMenu } from './deployment-menu.tsx';
import { FailureBox } from './failure-box.tsx';
import { QuestionBox } from './question-box.tsx';
import { ServiceTable } from './service-table.tsx';
import { StatusBadge } from './status-badge.tsx';

/** One deployment. Commit statuses on the git host link here. */
export function DeploymentPage() {
  const { id } = useParams({ from: '/signed-in/deployments/$id' });
  const may = usePermissions();
  const deployment = useQuery(deploymentQuery(id));
  const projectId = deployment.data?.projectId ?? '';
  const project = useQuery({ ...projectQuery(projectId), enabled: projectId !== '' && may('project:read') });
  const isAway = cloudTroubleIn(deployment.error) !== undefined;
  if (deployment.error instanceof ApiError && deployment.error.status === 404) return <NotHere />;
  return (
    <ProjectContext value={deployment.data?.projectId}>
      <Page
        title={project.data ? `Deployment of ${project.data.name}` : 'Deployment'}
        lead={
          <span className="flex flex-wrap items-center gap-2">
            {deployment.data && <Badges deployment={deployment.data} />}
            <span className="font-mono text-sm [overflow-wrap:anywhere]">{id}</span>
          </span>
        }
        action={deployment.data && <Actions key={id} deployment={deployment.data} />}
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
    </ProjectContext>
  );
}

const Badges = ({ deployment }: { deployment: Deployment }) => (
  <>
    <StatusBadge deployment={deployment} />
    {deployment.active && <Badge kind="good">Active</Badge>}
    {deployment.pinned && <Badge>Pinned</Badge>}
    <CloudBadge target={deployment.deployTarget} />
  </>
);

/** The most likely action of this state has a button; the rest are in a menu. */
function Actions({ deployment }: { deployment: Deployment }) {
  const navigate = useNavigate();
  const first = firstAction(deployment);
  return (
    <div className="flex flex-wrap gap-2">
      <ActionButton deployment={deployment} name={first} />
      <DeploymentMenu
        deployment={deployment}
        without={[first]}
        trigger={
          <Button>
            Actions <Icon name="down" size={16} />
          </Button>
        }
        onDeleted={() => void navigate(toDeploymentsOf(deployment.projectId))}
      />
    </div>
  );
}

function firstAction(deployment: Deployment) {
  if (isUnfinishedDeployment(deployment)) return 'cancel';
  return deployment.status === 'ready' && !deployment.active ? 'rollback' : 'redeploy';
}

function Details({ deployment, isAway }: { deployment: Deployment; isAway: boolean }) {
  // One failing query is enough while the cloud is unreachable; the steps reload once it responds.
  const steps = useQuery({ ...stepsQuery(deployment.id), enabled: !isAway });
  const isStack = deployment.services.some(({ name, change }) => name !== 'app' || change !== null);
  return (
    <>
      {steps.data?.prompt && <QuestionBox id={deployment.id} prompt={steps.data.prompt} />}
      {isPending(deployment) ? <DecisionBox deployment={deployment} /> : <FailureBox deployment={deployment} />}
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
      <div className="grid grid-cols-1 gap-3">
        <DeploymentFacts deployment={deployment} />
        {!isAway && <ChangesSection deployment={deployment} />}
      </div>
      {isStack && (
        <Section title="Services">
          <ServiceTable deployment={deployment} />
        </Section>
      )}
      <Section title="Log">
        {isAway && !steps.data ? (
          <p className="text-sm text-muted">The log is shown when the cloud answers.</p>
        ) : (
          <Loaded query={steps} lines={4}>
            {(data) => <BuildLogView deployment={deployment} steps={data.steps} />}
          </Loaded>
        )}
      </Section>
    </>
  );
}

/** Deleted, or in another organization than the current one. */
function NotHere() {
  const { organization } = useSession();
  return (
    <Page title="Deployment">
      <EmptyState icon="overview" title="There is no such deployment here">
        {organization?.name} has none with this address. It may have been deleted, or belong to another organization.
      </EmptyState>
    </Page>
  );
}
