import type { Client } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { isPending } from '../../deployments/decision.ts';
import {
  type Deployment,
  deploymentById,
  environmentOption,
  findDeployment,
  isInProgress,
  requireService,
} from '../../deployments/find.ts';
import { type LogKind, type LogLine, recordedLines, runtimeLines } from '../../deployments/recorded-logs.ts';
import { ServiceNames } from '../../deployments/service-names.ts';
import { deploymentEvents } from '../../deployments/stream.ts';
import { UsageError } from '../../errors.ts';
import { projectOfFolder } from '../../folder/project-of-folder.ts';
import { type Instance, signedInClient } from '../../instance.ts';
import { logText, type Output } from '../../output.ts';
import { wholeNumber } from '../../whole-number.ts';

export const logs = defineCommand({
  name: 'logs',
  parameters: ['[deployment or project]'],
  summary: 'Show the logs of a build and of the running app',
  description: [
    'For a project: the deployment in progress, else the active one, else the newest. Default: the project of this',
    'folder.',
    'With several services each line begins with the name of its service, unless only one is asked for.',
    'With --json and -f each line is a JSON object of its own.',
  ].join('\n'),
  options: {
    follow: { type: 'boolean', short: 'f', help: 'keep printing new lines' },
    build: { type: 'boolean', help: 'only the build log' },
    runtime: { type: 'boolean', help: 'only the log of the running app' },
    service: { type: 'string', value: '<name>', help: 'only this service' },
    environment: environmentOption,
    tail: { type: 'string', value: '<n>', help: 'number of lines; default 1000' },
  },
  async run({ args: [given], values, out, instance }) {
    if (values.build && values.runtime) throw new UsageError('--build and --runtime cannot be combined');
    const kind: LogKind | undefined = values.build ? 'build' : values.runtime ? 'runtime' : undefined;
    const tail = Math.min(wholeNumber('tail', values.tail) ?? 1000, 10_000);
    const here = instance();
    const client = signedInClient(here);
    const named = given ?? (await projectOfFolder(client, '.'));
    const deployment = await findDeployment(client, named, values.environment, current, 'no deployment yet');
    const { service } = values;
    if (service !== undefined) requireService(deployment, service);
    if (named !== deployment.id) out.note(`Logs of ${deployment.id} (${deployment.status})`);
    const shown = new Shown(deployment, service, out);
    if (values.follow) return follow(here, client, deployment, { kind, tail, service, shown, out });
    const lines = await recordedLines(client, deployment.id, { kind, tail, service });
    if (out.json) return out.print(lines, () => '');
    for (const line of lines) shown.line(line);
  },
});

const current = (all: Deployment[]) =>
  all.find(isInProgress) ?? all.find(isPending) ?? all.find(({ active }) => active) ?? all[0];

type Following = { kind: LogKind | undefined; tail: number; service: string | undefined; shown: Shown; out: Output };

/** Streams the build, then polls the running app. */
async function follow(
  instance: Instance,
  client: Client,
  deployment: Deployment,
  { kind, tail, service, shown, out }: Following,
): Promise<void> {
  const { id } = deployment;
  const isRunning = isInProgress(deployment);
  const recorded = isRunning ? [] : await recordedLines(client, id, { kind, tail, service });
  for (const line of recorded) shown.line(line);
  if (isRunning)
    for await (const event of deploymentEvents(instance, id)) {
      if (event.type === 'end') out.note(`${id} is ${event.status}.`);
      if (event.type === 'log' && kind !== 'runtime' && (service ?? event.service) === event.service)
        shown.line({ ...event, kind: 'build', replica: null });
      const isHalf = event.type === 'status' && event.status === 'partial_failure';
      if (!isHalf || !isPending(await deploymentById(client, id))) continue;
      out.note(`${id} needs a decision: mooring keep ${id}, or mooring reject ${id}`);
      break;
    }
  if (kind === 'build') return;
  const now = await deploymentById(client, id);
  if (!now.active && !isPending(now)) return;
  for await (const line of runtimeLines(client, id, { seen: recorded, service })) shown.line(line);
  out.note(`${id} no longer serves.`);
}

/** Prints lines on stdout. */
class Shown {
  readonly #names = new ServiceNames(process.stdout);
  readonly #isOne: boolean;
  readonly #out: Output;

  constructor({ services }: Deployment, service: string | undefined, out: Output) {
    this.#isOne = service !== undefined;
    this.#out = out;
    this.#names.add(services.map(({ name }) => name));
  }

  line({ at, kind, line, level, step, stream, service, replica, seq }: LogLine): void {
    const which = replica !== null && replica > 1 ? `#${replica}  ` : '';
    const name = service === null || this.#isOne ? which : `${this.#names.padded(service)}  ${which}`;
    const text = this.#out.json
      ? JSON.stringify({ at, kind, line, level, step, stream, service, replica, seq })
      : `${name}${logText(line)}`;
    process.stdout.write(`${text}\n`);
  }
}
