import { type Client, unwrap } from '@mooring/client';
import { defineCommand } from '../command.ts';
import { type Deployment, findDeployment, isInProgress } from '../deployments/find.ts';
import { type Kind, type LogLine, recordedLines, runtimeLines } from '../deployments/recorded-logs.ts';
import { deploymentEvents } from '../deployments/stream.ts';
import { UsageError } from '../errors.ts';
import { type Instance, signedInClient } from '../instance.ts';
import { logText, type Output } from '../output.ts';
import { wholeNumber } from '../whole-number.ts';

export const logs = defineCommand({
  name: 'logs',
  parameters: ['<deployment or project>'],
  summary: 'Show what a build and the running app wrote',
  description: [
    'Of a project it takes the deployment that is under way, else the active one, else the newest.',
    'With --json and -f each line is a JSON object of its own.',
  ].join('\n'),
  options: {
    follow: { type: 'boolean', short: 'f', help: 'go on with what is written from now on' },
    build: { type: 'boolean', help: 'only the build' },
    runtime: { type: 'boolean', help: 'only the running app' },
    tail: { type: 'string', value: '<n>', help: 'how many lines at most, the newest; 1000 without it' },
  },
  async run({ args: [named = ''], values, out, instance }) {
    if (values.build && values.runtime) throw new UsageError('--build and --runtime exclude each other');
    const kind: Kind | undefined = values.build ? 'build' : values.runtime ? 'runtime' : undefined;
    const tail = Math.min(wholeNumber('tail', values.tail) ?? 1000, 10_000);
    const here = instance();
    const client = signedInClient(here);
    const deployment = await findDeployment(client, named, current, 'no deployment yet');
    if (named !== deployment.id) out.note(`Logs of ${deployment.id} (${deployment.status})`);
    if (values.follow) return follow(here, client, deployment, { kind, tail, out });
    const lines = await recordedLines(client, deployment.id, { kind, tail });
    if (out.json) return out.print(lines, () => '');
    for (const line of lines) show(line, out);
  },
});

const current = (all: Deployment[]) => all.find(isInProgress) ?? all.find(({ active }) => active) ?? all[0];

/** The build by its stream, then the app by looking again and again. */
async function follow(
  instance: Instance,
  client: Client,
  deployment: Deployment,
  { kind, tail, out }: { kind: Kind | undefined; tail: number; out: Output },
): Promise<void> {
  const { id } = deployment;
  const isRunning = isInProgress(deployment);
  const recorded = isRunning ? [] : await recordedLines(client, id, { kind, tail });
  for (const line of recorded) show(line, out);
  if (isRunning)
    for await (const event of deploymentEvents(instance, id)) {
      if (event.type === 'end') out.note(`${id} is ${event.status}.`);
      if (event.type === 'log' && kind !== 'runtime') show({ ...event, kind: 'build' }, out);
    }
  if (kind === 'build') return;
  const { data } = await unwrap(client.GET('/api/deployments/{id}', { params: { path: { id } } }));
  if (!data.active) return;
  for await (const line of runtimeLines(client, id, recorded)) show(line, out);
  out.note(`${id} is not the active release any more.`);
}

function show(line: LogLine, out: Output): void {
  const { at, kind, level, step, stream, seq } = line;
  const text = out.json ? JSON.stringify({ at, kind, line: line.line, level, step, stream, seq }) : logText(line.line);
  process.stdout.write(`${text}\n`);
}
