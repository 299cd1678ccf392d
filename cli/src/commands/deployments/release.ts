import { unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { redeploySameBuild } from '../../deployments/apply.ts';
import { type Deployment, environmentOption, findDeployment, isInProgress } from '../../deployments/find.ts';
import { followToEnd } from '../../deployments/follow.ts';
import { answerOption, requireFollowed } from '../../deployments/question.ts';
import { Failure, UsageError } from '../../errors.ts';
import { deploymentOrLinked } from '../../folder/project-of-folder.ts';
import { type Instance, signedInClient } from '../../instance.ts';
import { type Output, plainText } from '../../output.ts';
import { confirm, isInteractive } from '../../prompt.ts';

const detach = { type: 'boolean', help: 'print the id of the new deployment and do not wait' } as const;

const rollback = defineCommand({
  name: 'rollback',
  parameters: ['[deployment or project]'],
  summary: 'Roll back to an earlier release',
  description: 'For a project: the release before the active one. Default: the project that this folder is linked to.',
  options: { environment: environmentOption, answer: answerOption, detach },
  async run({ args: [given], values, out, instance }) {
    requireFollowed(values);
    const here = instance();
    const client = signedInClient(here);
    const named = await deploymentOrLinked(client, given, out);
    const { id } = await findDeployment(client, named, values.environment, releaseBefore, 'no earlier release');
    out.note(`Rolling back to ${id}`);
    const path = { params: { path: { id } } };
    const { data: target } = await unwrap(client.GET('/api/deployments/{id}/build', path));
    const commands = target.releaseCommandsSince;
    if (commands.length)
      out.warn(`The database and volumes are not rolled back: ${commands.join(' and ')} ran since that release.`);
    await arrive(here, await unwrap(client.POST('/api/deployments/{id}/rollback', path)), values, out);
  },
});

const redeploy = defineCommand({
  name: 'redeploy',
  parameters: ['[deployment or project]'],
  summary: 'Deploy again with the current settings and variables',
  description: [
    'For a project: the active release, or the newest deployment if there is none. Default: the project that this',
    'folder is linked to.',
  ].join('\n'),
  options: {
    'same-commit': { type: 'boolean', help: 'deploy the same commit instead of the latest one of the branch' },
    'same-build': {
      type: 'boolean',
      help: 'start the build of the active release again; builds only if a change requires it',
    },
    environment: environmentOption,
    answer: answerOption,
    detach,
  },
  async run({ args: [given], values, out, instance }) {
    requireFollowed(values);
    const here = instance();
    const client = signedInClient(here);
    const named = await deploymentOrLinked(client, given, out);
    const pick = (all: Deployment[]) => all.find(({ active }) => active) ?? all[0];
    if (values['same-commit'] && values['same-build'])
      throw new UsageError('--same-commit and --same-build cannot be combined: the same build has the same commit');
    const { id } = await findDeployment(client, named, values.environment, pick, 'no deployment yet');
    if (values['same-build']) {
      const made = await redeploySameBuild(client, id, out);
      if (made === undefined) return;
      if (values.detach) return out.print({ id: made }, () => made);
      return followToEnd(here, made, out, { answers: values.answer });
    }
    const body = { useExistingCommit: values['same-commit'] ?? false };
    const made = client.POST('/api/deployments/{id}/redeploy', { params: { path: { id } }, body });
    await arrive(here, await unwrap(made), values, out);
  },
});

const cancel = defineCommand({
  name: 'cancel',
  parameters: ['[deployment or project]'],
  summary: 'Cancel a deployment in progress; the active release keeps serving',
  description: 'Default: the project that this folder is linked to.',
  options: { environment: environmentOption },
  async run({ args: [given], values: { environment }, out, instance }) {
    const client = signedInClient(instance());
    const named = await deploymentOrLinked(client, given, out);
    const nothing = 'no deployment in progress';
    const { id } = await findDeployment(client, named, environment, (all) => all.find(isInProgress), nothing);
    const path = { params: { path: { id } } };
    const { data } = await unwrap(client.POST('/api/deployments/{id}/cancel', path));
    out.print(data, () => `${id} ${data.status === 'cancelled' ? 'is cancelled' : 'is being cancelled'}.`);
  },
});

/** After a rollback, "before" means before the release that it restored, not the one that it replaced. */
export function releaseBefore(newestFirst: Deployment[]): Deployment | undefined {
  const active = newestFirst.find((each) => each.active);
  if (!active) return newestFirst.find(({ status }) => status === 'ready');
  const from = originOf(active, newestFirst);
  return newestFirst
    .slice(newestFirst.indexOf(from) + 1)
    .find((each) => each.status === 'ready' && originOf(each, newestFirst) !== from);
}

/** The deployment that a rollback, or a rollback to a rollback, restores. */
function originOf(deployment: Deployment, all: Deployment[]): Deployment {
  const before = all.find(({ id }) => id === deployment.rollbackOf);
  return before ? originOf(before, all) : deployment;
}

async function arrive(
  instance: Instance,
  { deployment_id: id, project_id: projectId }: { deployment_id: string; project_id: string },
  { answer, detach: isDetached }: { answer?: string[]; detach?: boolean },
  out: Output,
): Promise<void> {
  if (isDetached) return out.print({ id, projectId }, () => id);
  out.note(`Deployment ${id}`);
  await followToEnd(instance, id, out, { answers: answer });
}

const remove = defineCommand({
  name: 'deployment delete',
  parameters: ['<deployment>'],
  summary: 'Delete a deployment with its logs; deleting the active one stops the app',
  options: { yes: { type: 'boolean', short: 'y', help: 'do not ask' } },
  async run({ args: [id = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const path = { params: { path: { id } } };
    const { data } = await unwrap(client.GET('/api/deployments/{id}', path));
    if (data.active && !values.yes) await confirmStop(data);
    await unwrap(client.DELETE('/api/deployments/{id}', path));
    out.print({ id, deleted: true }, () => `${id} is deleted.`);
  },
});

async function confirmStop({ id, urls }: Deployment): Promise<void> {
  const stops = `${id} is active: ${urls[0] ?? 'the app'} stops serving`;
  if (!isInteractive()) throw new Failure(`${stops}. Confirm the deletion with --yes`);
  process.stderr.write(`${plainText(stops)}.\n`);
  if (!(await confirm('Delete it'))) throw new Failure(`${id} was not deleted`);
}

export const releaseCommands = [rollback, redeploy, cancel, remove];
