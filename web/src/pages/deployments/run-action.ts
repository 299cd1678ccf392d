import { unwrap } from '@mooring/client';
import { client, type Deployment } from '../../api.ts';
import type { ActionName } from './deployment-actions.ts';

/** The result of an action: a message, and the deployment that it created. */
type Outcome = { sentence: string; deploymentId?: string };

const atPath = ({ id }: Deployment) => ({ params: { path: { id } } });

type Started = { deployment_id: string };
const begun = async (sentence: string, started: Promise<Started>): Promise<Outcome> => ({
  sentence,
  deploymentId: (await started).deployment_id,
});
const said = async (sentence: string, done: Promise<unknown>): Promise<Outcome> => {
  await done;
  return { sentence };
};
const redeploy = (deployment: Deployment, body: { useExistingCommit: boolean; reuseArtifact: boolean }) =>
  unwrap(client.POST('/api/deployments/{id}/redeploy', { ...atPath(deployment), body }));
const pin = (deployment: Deployment, pinned: boolean) =>
  unwrap(client.POST('/api/deployments/{id}/pin', { ...atPath(deployment), body: { pinned } }));

/** Runs an action through the API. */
export const runAction = (name: ActionName, deployment: Deployment): Promise<Outcome> => runs[name](deployment);

const runs: Record<ActionName, (deployment: Deployment) => Promise<Outcome>> = {
  start: (of) => begun('Build started', unwrap(client.POST('/api/deployments/{id}/build', atPath(of)))),
  cancel: (of) => said('Cancelling the deployment', unwrap(client.POST('/api/deployments/{id}/cancel', atPath(of)))),
  keep: (of) => said('Deployment kept', unwrap(client.POST('/api/deployments/{id}/keep', atPath(of)))),
  reject: (of) => said('Deployment rejected', unwrap(client.POST('/api/deployments/{id}/reject', atPath(of)))),
  redeploy: (of) => begun('Deployment created', redeploy(of, { useExistingCommit: false, reuseArtifact: false })),
  'redeploy-commit': (of) =>
    begun('Deployment created', redeploy(of, { useExistingCommit: true, reuseArtifact: false })),
  apply: async (of) => {
    const made = await redeploy(of, { useExistingCommit: true, reuseArtifact: true });
    const reasons = made.buildReasons?.join(', ');
    return {
      sentence: reasons ? `A build is needed: ${reasons}` : 'Deployment created without a build',
      deploymentId: made.deployment_id,
    };
  },
  rollback: (of) => begun('Rollback started', unwrap(client.POST('/api/deployments/{id}/rollback', atPath(of)))),
  restart: (of) => said('Restarting', unwrap(client.POST('/api/deployments/{id}/restart', atPath(of)))),
  pin: (of) => said('Deployment pinned', pin(of, true)),
  unpin: (of) => said('Deployment unpinned', pin(of, false)),
  delete: (of) => said('Deployment deleted', unwrap(client.DELETE('/api/deployments/{id}', atPath(of)))),
};
