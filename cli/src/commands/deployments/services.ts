import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { type Container, containersOf } from '../../deployments/containers.ts';
import { isPending } from '../../deployments/decision.ts';
import { type Deployment, environmentOption, findDeployment, requireService } from '../../deployments/find.ts';
import { Failure } from '../../errors.ts';
import { deploymentOrLinked, projectOfFolder } from '../../folder/project-of-folder.ts';
import { signedInClient } from '../../instance.ts';
import { type Column, plainText } from '../../output.ts';

const pollMs = 500;
const restartMs = 60_000;

/** `container` is the first replica; a static site has none. */
type Row = Deployment['services'][number] & {
  container: Container | undefined;
  containers: Container[];
  urls: string[];
};

const columns: Column<Row>[] = [
  { heading: 'SERVICE', value: ({ name }) => name },
  { heading: 'STATUS', value: ({ status }) => status.replaceAll('_', ' ') },
  { heading: 'RUNS', value: ({ containers }) => allRun(containers) },
  { heading: 'DEPLOYED BY', value: ({ deploymentId }) => deploymentId ?? '-' },
  { heading: 'IMAGE', value: ({ image }) => image ?? '-' },
  { heading: 'ADDRESS', value: ({ urls }) => urls.join(', ') || '-' },
  { heading: 'ERROR', value: ({ error }) => error ?? '' },
];

const services = defineCommand({
  name: 'services',
  parameters: ['[deployment or project]'],
  summary: 'List the services of a deployment with version and state',
  description: [
    'For a project: the deployment that needs a decision, else the active one, else the newest. Default:',
    'the project of this folder.',
  ].join('\n'),
  options: { environment: environmentOption },
  async run({ args: [given], values, out, instance }) {
    const client = signedInClient(instance());
    const named = given ?? (await projectOfFolder(client, '.'));
    const deployment = await findDeployment(client, named, values.environment, shownOf, 'no deployment yet');
    if (named !== deployment.id) out.note(`Services of ${deployment.id} (${deployment.status.replaceAll('_', ' ')})`);
    const containers = await containersOf(client, deployment.id);
    const isSite = deployment.active && deployment.services.length === 1 && !containers.length;
    const rows = deployment.services.map((service) => {
      const own = containers.filter((each) => each.service === service.name);
      return { ...service, container: own[0], containers: own, urls: own[0]?.urls ?? (isSite ? deployment.urls : []) };
    });
    out.list(rows, columns);
  },
});

const restart = defineCommand({
  name: 'restart',
  parameters: ['[deployment or project]'],
  summary: 'Restart a deployment or one of its services; requests wait meanwhile',
  description: [
    'For a project: the deployment that needs a decision, else the active one. Default: the project that this',
    'folder is linked to.',
  ].join('\n'),
  options: {
    service: { type: 'string', value: '<name>', help: 'only this service' },
    environment: environmentOption,
  },
  async run({ args: [given], values: { service, environment }, out, instance }) {
    const client = signedInClient(instance());
    const named = await deploymentOrLinked(client, given, out);
    const deployment = await findDeployment(client, named, environment, runningOf, 'nothing that is running');
    const { id } = deployment;
    if (service !== undefined) requireService(deployment, service);
    const query = service === undefined ? {} : { service };
    const before = await containersOf(client, id, service);
    const asked = client.POST('/api/deployments/{id}/restart', { params: { path: { id }, query } });
    const { data } = await unwrap(asked);
    const stopped = await untilRestarted(client, id, before.filter(isUp));
    if (stopped.length)
      throw new Failure(`${id} has trouble after its restart: ${stopped.join(', ')}; see: mooring logs ${id}`);
    out.print(data, () => `${service === undefined ? id : `${plainText(service)} of ${id}`} is restarted.`);
  },
});

const runningOf = (all: Deployment[]) => all.find(isPending) ?? all.find(({ active }) => active);
const shownOf = (all: Deployment[]) => runningOf(all) ?? all[0];

const isUp = ({ state }: Container): boolean => state === 'running' || state === 'restarting';
const keyOf = ({ service, replica }: Container): string => `${service} ${replica}`;

/** The API responds before containers that stop slowly have restarted. Returns the state of those that did not come
 * back, or exited again. */
async function untilRestarted(client: Client, id: string, before: Container[]): Promise<string[]> {
  const restartsBefore = new Map(before.map((each) => [keyOf(each), each.restarts]));
  for (const end = Date.now() + restartMs; ; await sleep(pollMs)) {
    const now = (await containersOf(client, id)).filter((each) => restartsBefore.has(keyOf(each)));
    // Docker counts from zero again.
    const hasExited = (each: Container) => each.restarts > 0 && each.restarts !== restartsBefore.get(keyOf(each));
    const found = new Set(now.map(keyOf));
    const gone = before.filter((each) => !found.has(keyOf(each)));
    const waits = gone.length > 0 || now.some((each) => each.state === 'restarting' && !hasExited(each));
    if (waits && Date.now() < end) continue;
    const failed = now.filter((each) => each.state !== 'running' || hasExited(each));
    const nameOf = ({ service, replica }: Container) =>
      `${plainText(service ?? 'app')}${replica > 1 ? ` #${replica}` : ''}`;
    return [...gone.map((each) => `${nameOf(each)} is gone`), ...failed.map((each) => `${nameOf(each)} ${runs(each)}`)];
  }
}

/** How many of several replicas are running, and the problem of one that is not. */
function allRun(containers: Container[]): string {
  const [first] = containers;
  if (!first || containers.length === 1) return first ? runs(first) : '-';
  const up = containers.filter(({ state }) => state === 'running');
  const down = containers.find(({ state }) => state !== 'running');
  return `${up.length} of ${containers.length} replicas${down ? `; ${runs(down)}` : ''}`;
}

/** The health, if there is a health check. */
function runs({ state, health, restarts, exitCode }: Container): string {
  const often = restarts ? `, restarted ${restarts === 1 ? 'once' : `${restarts} times`}` : '';
  if (state === 'running') return `${health ?? state}${often}`;
  return `${state}${exitCode === null ? '' : ` (${exitCode})`}${often}`;
}

export const servicesCommands = [services, restart];
