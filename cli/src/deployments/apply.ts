import { ApiError, type Client, unwrap } from '@mooring/client';
import { type Instance, signedInClient } from '../instance.ts';
import type { Output } from '../output.ts';
import { deploymentsOf, isIn, type Project } from './find.ts';
import { followToEnd } from './follow.ts';

export const applyOption = {
  type: 'boolean',
  help: 'apply now: restart the active release, with a build only if the change requires one',
} as const;

/** The hint of a command that changed a setting without applying it. */
export const takesEffectLater = ({ slug }: Project): string =>
  `This takes effect with the next deployment. To apply it now: mooring redeploy ${slug} --same-build`;

/** Redeploys the build of the active release with the current settings and variables. */
export async function applyNow(instance: Instance, project: Project, out: Output): Promise<void> {
  const client = signedInClient(instance);
  const all = await deploymentsOf(client, project.id, 100);
  const active = all.filter(isIn()).find((each) => each.active);
  if (!active) return out.note(`${project.name} has no active release. This takes effect with the next deployment.`);
  const id = await redeploySameBuild(client, active.id, out);
  if (id !== undefined) await followToEnd(instance, id, out);
}

/** Returns the id of the new deployment; undefined, with a message, if there is nothing to apply. */
export async function redeploySameBuild(client: Client, id: string, out: Output): Promise<string | undefined> {
  const body = { reuseArtifact: true };
  try {
    const made = await unwrap(client.POST('/api/deployments/{id}/redeploy', { params: { path: { id } }, body }));
    const { deployment_id: deploymentId, buildReasons = [] } = made;
    if (buildReasons.length) out.note(`This needs a build, because it changes ${buildReasons.join(', ')}.`);
    out.note(`Deployment ${deploymentId}`);
    return deploymentId;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'nothing_to_apply') throw error;
    out.note(`Nothing to apply: ${error.message}.`);
    return undefined;
  }
}
