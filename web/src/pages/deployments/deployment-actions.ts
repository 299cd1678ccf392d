import type { Deployment } from '../../api.ts';
import { isUnfinishedDeployment } from '../../deployment-status.ts';
import type { IconName } from '../../ui/icons.tsx';

export type ActionName =
  | 'start'
  | 'cancel'
  | 'keep'
  | 'reject'
  | 'redeploy'
  | 'redeploy-commit'
  | 'apply'
  | 'rollback'
  | 'restart'
  | 'pin'
  | 'unpin'
  | 'delete';

export type DeploymentAction = {
  name: ActionName;
  label: string;
  /** Its effect, in one sentence. */
  means: string;
  icon?: IconName;
  isDanger?: boolean;
  /** Shown as a confirmation, because the action cannot be undone right away. */
  question?: string;
  /** The label of the dismiss button, where “Cancel” would be ambiguous. */
  dismiss?: string;
  /** The name has to be typed to confirm. */
  isTyped?: boolean;
};

type Circumstances = {
  may: (permission: string) => boolean;
  /** Something is running that can be restarted; never true for a static site. */
  isRunning: boolean;
  /** The project has moved to the cloud without this deployment, so it cannot be redeployed from here. */
  isLeftBehind: boolean;
};

/** Returns the actions that the person may take on a deployment in its current state. */
export function actionsFor(deployment: Deployment, circumstances: Circumstances): DeploymentAction[] {
  const { may } = circumstances;
  const isOffered = (name: ActionName) => may(permissions[name]) && isAllowed[name](deployment, circumstances);
  return names.filter(isOffered).map((name) => ({ name, ...describe[name](deployment) }));
}

const names: ActionName[] = [
  'start',
  'cancel',
  'keep',
  'reject',
  'rollback',
  'redeploy',
  'redeploy-commit',
  'apply',
  'restart',
  'pin',
  'unpin',
  'delete',
];

const [write, admin] = ['deployment:write', 'deployment:admin'];
const permissions: Record<ActionName, string> = {
  start: write,
  cancel: admin,
  keep: write,
  reject: write,
  redeploy: write,
  'redeploy-commit': write,
  apply: write,
  rollback: admin,
  restart: write,
  pin: write,
  unpin: write,
  delete: admin,
};

/** Whether some services failed and a decision is pending. */
export const isPending = ({ status, decision }: Deployment): boolean =>
  status === 'partial_failure' && decision === 'pending';

const isDeployable = (deployment: Deployment, { isLeftBehind }: Circumstances): boolean =>
  !isUnfinishedDeployment(deployment) && !isLeftBehind;

const isAllowed: Record<ActionName, (deployment: Deployment, circumstances: Circumstances) => boolean> = {
  start: ({ status }) => status === 'queued',
  cancel: ({ status, decision }) => ['queued', 'building', 'deploying'].includes(status) && decision !== 'rejected',
  keep: isPending,
  reject: isPending,
  redeploy: isDeployable,
  'redeploy-commit': (deployment, here) => isDeployable(deployment, here) && deployment.commitSha !== null,
  apply: (deployment, here) => isDeployable(deployment, here) && deployment.active,
  rollback: (deployment, here) => isDeployable(deployment, here) && deployment.status === 'ready' && !deployment.active,
  restart: ({ active, status }, { isRunning }) => isRunning && (active || status === 'partial_failure'),
  pin: ({ pinned }) => !pinned,
  unpin: ({ pinned }) => pinned,
  delete: () => true,
};

const nowSettings = 'the current settings and variables of the project';

const describe: Record<ActionName, (deployment: Deployment) => Omit<DeploymentAction, 'name'>> = {
  start: () => ({
    label: 'Start build',
    means: 'Builds a deployment that was created without being started. It still waits for its turn in the queue.',
  }),
  cancel: ({ status }) => ({
    label: 'Cancel deployment',
    dismiss: 'Keep it running',
    means:
      status === 'queued'
        ? 'Takes the deployment out of the queue. Nothing was built yet.'
        : 'Stops the build or rollout and removes what it has started. The previous release keeps serving.',
    question: 'Cancel this deployment?',
    isDanger: true,
  }),
  keep: () => ({
    label: 'Keep',
    means: 'Accepts the services that succeeded. The failed services stay on their previous version.',
    question: 'Keep this deployment?',
  }),
  reject: () => ({
    label: 'Reject',
    means: 'Rolls every changed service back to its previous version.',
    question: 'Reject this deployment?',
    isDanger: true,
  }),
  redeploy: ({ commitSha, branch }) => ({
    label: 'Redeploy',
    means: commitSha
      ? `Builds the latest commit of ${branch ?? 'the branch'} with ${nowSettings}.`
      : `Builds the source of this deployment again with ${nowSettings}.`,
    question: commitSha ? 'Deploy the latest commit?' : 'Deploy this source again?',
  }),
  'redeploy-commit': ({ commitSha }) => ({
    label: 'Redeploy this commit',
    means: `Builds exactly ${commitSha?.slice(0, 12)} again, with ${nowSettings}.`,
    question: 'Deploy this commit again?',
  }),
  apply: () => ({
    label: 'Apply settings',
    means: `Starts this release again with ${nowSettings}. It is built again only if a changed setting needs that.`,
    question: 'Apply the current settings?',
  }),
  rollback: ({ environment }) => ({
    label: 'Roll back to this',
    means:
      `Makes this release serve ${environment} again, with the settings and variables it had then. ` +
      'Release commands do not run, and volumes keep their current data.',
    question: 'Roll back to this deployment?',
  }),
  restart: () => ({
    label: 'Restart',
    means: 'Restarts everything that runs of this release. A service with one replica is down for a moment.',
    question: 'Restart this release?',
  }),
  pin: () => ({ label: 'Pin', icon: 'pin', means: 'Keeps the release for rollbacks, however old it gets.' }),
  unpin: () => ({ label: 'Unpin', icon: 'pin', means: 'Lets Mooring clean the release up when it is old.' }),
  delete: (deployment) => ({
    label: 'Delete',
    means: deleteMeans(deployment),
    question: 'Delete this deployment?',
    isDanger: true,
    isTyped: deployment.active,
  }),
};

function deleteMeans(deployment: Deployment): string {
  const gone = 'Its log and its build are deleted; volumes stay. You cannot roll back to it afterwards.';
  if (deployment.active)
    return `This release serves ${deployment.environment} now. It is stopped, and nothing serves in its place. ${gone}`;
  if (isPending(deployment)) return `The changed services are rolled back first. ${gone}`;
  return isUnfinishedDeployment(deployment) ? `It is cancelled first. ${gone}` : gone;
}
