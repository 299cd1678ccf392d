import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { isPending } from '../../deployments/decision.ts';
import { type Deployment, findDeployment, isInEnvironment, requireService } from '../../deployments/find.ts';
import { projectOfFolder } from '../../folder/project-of-folder.ts';
import { signedInClient } from '../../instance.ts';
import { type Column, plainText } from '../../output.ts';

const pollMs = 500;
const restartMs = 60_000;

type Container = Awaited<ReturnType<typeof containersOf>>[number];
/** `container` is the first replica. */
type Row = Deployment['services'][number] & { container: Container | undefined; containers: Container[] };

const environment = { type: 'string', value: '<name>', help: 'with a project: production, unless given' } as const;

const columns: Column<Row>[] = [
  { heading: 'SERVICE', value: ({ name }) => name },
  { heading: 'STATUS', value: ({ status }) => status.replaceAll('_', ' ') },
  { heading: 'RUNS', value: ({ containers }) => allRun(containers) },
  { heading: 'DEPLOYED BY', value: ({ deploymentId }) => deploymentId ?? '-' },
  { heading: 'IMAGE', value: ({ image }) => image ?? '-' },
  { heading: 'ADDRESS', value: ({ container }) => container?.urls.join(', ') || '-' },
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
  options: { environment },
  async run({ args: [given], values, out, instance }) {
    const client = signedInClient(instance());
    const named = given ?? (await projectOfFolder(client, '.')).id;
    const pick = (all: Deployment[]) => shownOf(all.filter(isInEnvironment(values.environment)));
    const deployment = await findDeployment(client, named, pick, 'no deployment yet');
    if (named !== deployment.id) out.note(`Services of ${deployment.id} (${deployment.status.replaceAll('_', ' ')})`);
    const containers = await containersOf(client, deployment.id);
    const rows = deployment.services.map((service) => {
      const own = containers.filter((each) => each.service === service.name);
      return { ...service, container: own[0], containers: own };
    });
    out.list(rows, columns);
  },
});

const restart = defineCommand({
  name: 'restart',
  parameters: ['<deployment or project>'],
  summary: 'Restart a deployment or one of its services; requests wait meanwhile',
  description: 'For a project: the deployment that needs a decision, else the active one.',
  options: { service: { type: 'string', value: '<name>', help: 'only this service' }, environment },
  async run({ args: [named = ''], values: { service, environment: wanted }, out, instance }) {
    const client = signedInClient(instance());
    const pick = (all: Deployment[]) => runningOf(all.filter(isInEnvironment(wanted)));
    const deployment = await findDeployment(client, named, pick, 'nothing that is running');
    const { id } = deployment;
    if (service !== undefined) requireService(deployment, service);
    const query = service === undefined ? {} : { service };
    const asked = client.POST('/api/deployments/{id}/restart', { params: { path: { id }, query } });
    const { data } = await unwrap(asked);
    await untilRestarted(client, id);
    out.print(data, () => `${service === undefined ? id : `${plainText(service)} of ${id}`} is restarted.`);
  },
});

const runningOf = (all: Deployment[]) => all.find(isPending) ?? all.find(({ active }) => active);
const shownOf = (all: Deployment[]) => runningOf(all) ?? all[0];

async function containersOf(client: Client, id: string) {
  const { data } = await unwrap(client.GET('/api/deployments/{id}/info', { params: { path: { id } } }));
  return data.containers;
}

/** The API responds before containers that stop slowly have restarted. */
async function untilRestarted(client: Client, id: string): Promise<void> {
  const isRestarting = async () => (await containersOf(client, id)).some(({ state }) => state === 'restarting');
  for (const end = Date.now() + restartMs; Date.now() < end && (await isRestarting());) await sleep(pollMs);
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
