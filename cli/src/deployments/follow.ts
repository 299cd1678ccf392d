import { type Client, type Schemas, unwrap } from '@mooring/client';
import { type Instance, signedInClient } from '../instance.ts';
import { type Output, plain } from '../output.ts';
import { patiently } from '../patience.ts';
import { duration } from '../words.ts';
import { Questions } from './question.ts';
import { Progress } from './show.ts';
import { deploymentEvents } from './stream.ts';

type Deployment = Schemas['Deployment'];

/** Shows a deployment until its end, then its address. Ctrl-C goes away and leaves it alone. */
export async function followToEnd(instance: Instance, id: string, out: Output): Promise<void> {
  const client = signedInClient(instance);
  const progress = new Progress();
  const detach = () => {
    progress.clear();
    out.note(`\nThe deployment ${id} goes on. To see it: mooring logs ${id} -f; to stop it: mooring cancel ${id}`);
  };
  // Before the listener that ends the process.
  process.prependOnceListener('SIGINT', detach);
  try {
    await watch(instance, client, id, progress);
  } finally {
    process.removeListener('SIGINT', detach);
    progress.clear();
  }
  const { data } = await patiently(() => unwrap(client.GET('/api/deployments/{id}', { params: { path: { id } } })));
  conclude(data, out);
}

async function watch(instance: Instance, client: Client, id: string, progress: Progress): Promise<void> {
  const questions = new Questions(client, id);
  const onContact = (state: 'lost' | 'back') =>
    progress.say(state === 'lost' ? 'The connection is lost; trying again ...' : 'The connection is back.');
  for await (const event of deploymentEvents(instance, id, onContact)) {
    await questions.settle();
    progress.show(event);
    if (event.type === 'prompt') await questions.ask(event.id);
  }
  await questions.end();
}

/** The address alone goes to stdout. */
function conclude(deployment: Deployment, out: Output): void {
  const { id, status, urls, timing, error } = deployment;
  if (status === 'ready') {
    const took = timing.totalMs === null ? '' : ` after ${duration(timing.totalMs)}`;
    out.note(`${id} is ready${took}.`);
    out.print(deployment, () => urls[0] ?? id);
    return;
  }
  process.exitCode = 1;
  if (out.json) out.print(deployment, () => '');
  const where = error?.step ? ` at ${error.step}` : '';
  const why = error && error.message !== status ? `: ${plain(error.message)}` : '';
  out.note(`mooring: ${id} ${endings[status] ?? status}${where}${why}`);
  if (error?.hint) out.note(plain(error.hint));
}

const endings: Record<string, string> = {
  failed: 'failed',
  cancelled: 'was cancelled',
  rejected: 'was rejected',
  partial_failure: 'waits for a decision, because only some services are ready',
};
