import { ApiError, type Client, unwrap } from '@mooring/client';
import { type Instance, signedInClient } from '../instance.ts';
import type { Output } from '../output.ts';
import { activeRelease, type Deployment, type Project } from './find.ts';
import { followToEnd } from './follow.ts';

export const applyOption = {
  type: 'boolean',
  help: 'apply now: restart the active release, with a build only if the change requires one',
} as const;

/** Says when a changed setting takes effect, and how to apply it now if there is a release to apply it to. */
export async function noteTakesEffectLater(client: Client, project: Project, out: Output): Promise<void> {
  const active = await activeRelease(client, project.id).catch((error: unknown) => {
    // Without the permission to list deployments, nothing can be redeployed either.
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  });
  const now = active ? ` ${await howToApply(client, project, active)}` : '';
  out.note(`This takes effect with the next deployment.${now}`);
}

/** The same build of a static site runs nothing that could use a changed variable. */
async function howToApply(client: Client, { slug }: Project, { id }: Deployment): Promise<string> {
  const { data } = await unwrap(client.GET('/api/deployments/{id}/build', { params: { path: { id } } }));
  const isSite = (data.recipe?.outputDirectory ?? null) !== null;
  return isSite
    ? `To build the site again now: mooring redeploy ${slug}. Its build uses only variables that are set with --build-time`
    : `To apply it now: mooring redeploy ${slug} --same-build`;
}

/** Redeploys the build of the active release with the current settings and variables. */
export async function applyNow(instance: Instance, project: Project, out: Output): Promise<void> {
  const client = signedInClient(instance);
  const active = await activeRelease(client, project.id);
  if (!active) return out.note(`${project.name} has no active release. This takes effect with the next deployment.`);
  const id = await redeploySameBuild(client, active.id, out);
  const again = `mooring redeploy ${project.slug} --same-build`;
  if (id !== undefined) await followToEnd(instance, id, out, { again });
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
