import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, unwrap } from '@mooring/client';
import { exitCodes, Failure } from '../errors.ts';
import { type Output, plainText, styled } from '../output.ts';
import { retryWhileAway } from '../retry.ts';
import { promptText, isInteractive } from '../prompt.ts';
import { countWithNoun } from '../format.ts';
import { type Deployment, isInProgress } from './find.ts';
import { ServiceNames } from './service-names.ts';

export type Decision = 'keep' | 'reject';

const pollMs = 1000;

/** Whether a deployment partially failed and its decision is pending. */
export const isPending = ({ status, decision }: Deployment): boolean =>
  status === 'partial_failure' && decision === 'pending';

const isBroken = ({ status }: Deployment['services'][number]): boolean => status === 'failed' || status === 'skipped';

/** Prints which services failed and why, and the choices. On a terminal it prompts for the decision. */
export async function settlePartial(client: Client, deployment: Deployment, out: Output): Promise<void> {
  explain(deployment, out);
  process.exitCode = exitCodes.partial;
  if (out.json) return out.print(deployment, () => '');
  const decision = isInteractive() ? await askForDecision() : undefined;
  if (!decision) return;
  const decided = await decide(client, deployment.id, decision);
  out.note(decisionSentence(decided));
  process.exitCode = decided.status === 'ready' ? 0 : exitCodes.failed;
  if (decided.status === 'ready') out.print(decided, () => decided.urls[0] ?? decided.id);
}

function explain({ id, services }: Deployment, out: Output): void {
  const broken = services.filter(isBroken);
  const names = new ServiceNames(process.stderr);
  names.add(broken.map(({ name }) => name));
  out.note(`mooring: ${id} needs a decision: ${broken.length} of ${countWithNoun(services.length, 'service')} failed`);
  for (const { name, status, error } of broken) {
    const mark = status === 'failed' ? styled('red', '✗', process.stderr) : '-';
    out.note(`${mark} ${names.padded(name)}  ${plainText(error ?? status)}`);
  }
  out.note(
    'Services that succeeded serve already, failed ones run their previous version, and no other deployment starts until you decide:',
  );
  out.note(`  mooring keep ${id}    to keep the services that succeeded`);
  out.note(`  mooring reject ${id}  to roll every service back`);
}

async function askForDecision(): Promise<Decision | undefined> {
  for (;;) {
    const answer = (
      await promptText('Decide now (keep, reject, later)', 'later').catch(laterUnlessStopped)
    ).toLowerCase();
    if (answer === 'keep' || answer === 'reject') return answer;
    if (answer === 'later') return undefined;
    process.stderr.write('Answer with one of keep, reject, later.\n');
  }
}

/** Closing the input is not a decision. */
function laterUnlessStopped(error: unknown): string {
  if (error instanceof Failure) return 'later';
  throw error;
}

/** Waits for the end: rolling back takes as long as the services need to start. */
export async function decide(client: Client, id: string, decision: Decision): Promise<Deployment> {
  const path = { params: { path: { id } } };
  const asked =
    decision === 'keep'
      ? client.POST('/api/deployments/{id}/keep', path)
      : client.POST('/api/deployments/{id}/reject', path);
  let { data } = await unwrap(asked);
  while (isInProgress(data)) {
    await sleep(pollMs);
    ({ data } = await retryWhileAway(() => unwrap(client.GET('/api/deployments/{id}', path))));
  }
  return data;
}

/** Describes the outcome. */
export function decisionSentence({ id, status, services }: Deployment): string {
  const broken = services.filter(isBroken).map(({ name }) => plainText(name));
  if (status === 'ready') return `${id} is kept and serves; previous version or removed: ${broken.join(', ')}.`;
  if (status !== 'rejected') return `${id} is ${status.replaceAll('_', ' ')}.`;
  const left = services.filter((each) => each.error && !isBroken(each));
  const lines = left.map(({ name, error }) => `${plainText(name)} could not be rolled back: ${plainText(error!)}`);
  return [
    `${id} is rejected; ${left.length ? 'the other services are' : 'all services are'} back at their previous versions.`,
    ...lines,
  ].join('\n');
}
