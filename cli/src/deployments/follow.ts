import { type Client, unwrap } from '@mooring/client';
import { exitCodes } from '../errors.ts';
import { type Instance, signedInClient } from '../instance.ts';
import { logText, type Output, plainText } from '../output.ts';
import { retryWhileAway } from '../retry.ts';
import { formatDuration } from '../format.ts';
import { isPending, settlePartial } from './decision.ts';
import type { Deployment } from './find.ts';
import { warnOfUnkeptData } from './data-loss-warnings.ts';
import { type PresetAnswers, Questions } from './question.ts';
import { Progress } from './show.ts';
import { type DeploymentEvent, deploymentEvents } from './stream.ts';

/** Follows a deployment to its end and prints its address. Ctrl-C detaches and leaves it running. */
export async function followToEnd(
  instance: Instance,
  id: string,
  out: Output,
  answering: PresetAnswers = {},
): Promise<void> {
  const client = signedInClient(instance);
  const progress = new Progress();
  const detach = () => {
    progress.clear();
    out.note(`\nThe deployment ${id} continues. Follow it: mooring logs ${id} -f. Cancel it: mooring cancel ${id}`);
  };
  // Runs before the listener that ends the process.
  process.prependOnceListener('SIGINT', detach);
  try {
    await watch(instance, id, progress, new Questions(client, id, answering));
  } finally {
    process.removeListener('SIGINT', detach);
    progress.clear();
  }
  const deployment = await deploymentNow(client, id);
  if (isPending(deployment)) return settlePartial(client, deployment, out);
  if (deployment.status === 'ready') await warnOfUnkeptData(client, id, out);
  conclude(deployment, out);
}

async function watch(instance: Instance, id: string, progress: Progress, questions: Questions): Promise<void> {
  const client = signedInClient(instance);
  const onContact = (state: 'lost' | 'back') =>
    progress.say(state === 'lost' ? 'Connection lost, reconnecting ...' : 'Reconnected.');
  for await (const event of deploymentEvents(instance, id, onContact)) {
    await questions.settle();
    await learnServices(client, id, event, progress);
    progress.show(event);
    if (event.type === 'prompt') await questions.ask(event.id);
    // The stream pauses here until the decision, unless it was already made.
    const isHalf = event.type === 'status' && event.status === 'partial_failure';
    if (isHalf && isPending(await deploymentNow(client, id))) break;
  }
  await questions.end();
}

/** Learns all names at once, so that the columns align from the first line on. */
async function learnServices(client: Client, id: string, event: DeploymentEvent, { services }: Progress) {
  const name = event.type === 'service' ? event.name : event.type === 'log' ? event.service : null;
  if (name && !services.has(name))
    services.add((await deploymentNow(client, id)).services.map((service) => service.name));
}

const deploymentNow = async (client: Client, id: string): Promise<Deployment> =>
  (await retryWhileAway(() => unwrap(client.GET('/api/deployments/{id}', { params: { path: { id } } })))).data;

/** Only the address goes to stdout. */
function conclude(deployment: Deployment, out: Output): void {
  const { id, status, urls, timing, error } = deployment;
  if (status === 'ready') {
    const took = timing.totalMs === null ? '' : ` after ${formatDuration(timing.totalMs)}`;
    out.note(`${id} is ready${took}.`);
    out.print(deployment, () => urls[0] ?? id);
    return;
  }
  process.exitCode = exitCodes.failed;
  if (out.json) out.print(deployment, () => '');
  const where = error?.step ? ` at ${error.step}` : '';
  const why = error && error.message !== status ? `: ${error.message.split('\n').map(plainText).join('\n    ')}` : '';
  out.note(`mooring: ${id} ${endings[status] ?? status}${where}${why}`);
  for (const line of error?.excerpt ?? []) out.note(`    ${logText(line)}`);
  if (error?.hint) out.note(plainText(error.hint));
}

const endings: Record<string, string> = { failed: 'failed', cancelled: 'was cancelled', rejected: 'was rejected' };
