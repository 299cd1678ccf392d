import { isDiskFull } from '../../../db/database.ts';
import type { RegistryError } from '../../../drivers/images/registry/image-registry.ts';
import { EngineAwayError, NodeAwayError, NoPortLeftError } from '../../../drivers/runtime/errors.ts';
import { SshError, type SshErrorCode } from '../../../drivers/ssh/ssh.ts';
import { AppError } from '../../../errors.ts';
import { terminalText } from '../../../lib/terminal-text.ts';
import { CancelledError } from '../../../events/lease.ts';
import { type DeploymentFailure, StepError } from './model.ts';
import { diskOf, freeText, hasNoSpaceLeft } from './free-space.ts';
import type { Parts } from './parts.ts';

/** Converts an error to the failure that is stored with a deployment. */
export function deploymentFailureOf(
  error: Error,
  step: string | null,
  redact: (line: string) => string,
  { server }: Pick<Parts, 'server'> = { server: null },
): DeploymentFailure {
  if (error instanceof EngineAwayError) return deploymentFailureOf(engineStaysAway(error, server), step, redact);
  if (error instanceof NoPortLeftError) return deploymentFailureOf(noPortLeft(error), step, redact);
  const code =
    error instanceof StepError ? error.code : error instanceof CancelledError ? 'cancelled' : ('internal' as const);
  const { hint, excerpt } = error instanceof StepError ? error : { hint: null, excerpt: [] };
  const message = forPeople(error).split('\n').map(terminalText).join('\n');
  return {
    code,
    step,
    message: redact(message),
    hint: hint === null ? null : redact(hint),
    excerpt: excerpt.map(redact),
  };
}

const noPortLeft = ({ message }: NoPortLeftError) =>
  new StepError(
    'no_port_left',
    `${message}: every app needs one`,
    'Ask the operator to stop the programs that listen there (`ss -ltnp` lists them), then redeploy. The log of Mooring names apps ' +
      'that listen on many ports.',
  );

/** For an engine that stayed unreachable until the timeout. */
export function engineStaysAway(error: EngineAwayError, server: Parts['server']): StepError {
  if (error instanceof NodeAwayError)
    return new StepError(
      'server_away',
      `Mooring does not reach the node ${error.node} of the cluster: ${awayReasonOf(error).message}`,
      'Its edge may still serve the previous release. See `mooring cluster status`, repair the SSH connection of the server ' +
        '(`mooring server test`) and redeploy. If it cannot be repaired, shut the machine down and remove the node ' +
        '(`mooring cluster remove --force`).',
    );
  return server
    ? new StepError(
        'server_away',
        `the server ${server.name} does not respond: ${awayReasonOf(error).message}`,
        'Test the server (`mooring server test`), and redeploy when it responds. Apps there keep running.',
      )
    : new StepError(
        'engine_away',
        'Docker does not respond',
        'Check Docker (`systemctl status docker`), and redeploy when it responds. DOCKER_HOST is its address.',
      );
}

/** Unwraps the reason why an engine is unreachable. */
export const awayReasonOf = (error: unknown): Error =>
  error instanceof EngineAwayError ? (error.cause as Error) : (error as Error);

const needsSomebody: SshErrorCode[] = ['auth_failed', 'bad_key', 'host_key_changed', 'refused'];

/** Whether retrying is pointless until someone fixes the connection to the server. */
export const isRetryPointless = ({ cause }: EngineAwayError): boolean =>
  cause instanceof SshError && needsSomebody.includes(cause.code);

/** Messages of internal errors may contain SQL, paths or foreign ids, so they go to our log only. */
const forPeople = (error: Error): string =>
  [StepError, AppError, CancelledError].some((kind) => error instanceof kind)
    ? error.message
    : 'an internal error occurred';

/** Returns a `disk_full` error if the disk is full: a build's commands report only that they failed. */
export async function fullDisk(error: Error, { folders }: Parts): Promise<StepError | undefined> {
  if (error instanceof StepError && error.code === 'disk_full') return error;
  const disk = await diskOf(folders.all()).catch(() => undefined);
  if (!isDiskFull(error) && !(disk && hasNoSpaceLeft(disk))) return undefined;
  const full = disk ? `the disk is full (${freeText(disk)})` : 'the disk is full';
  const what = error instanceof StepError ? `${error.message}, and ${full}` : full;
  return new StepError('disk_full', what, `Free some space on the disk of ${folders.all()} and redeploy.`);
}

/** Engines report a full disk in free text, whatever the request was. */
export const isEngineFull = ({ message }: Error): boolean =>
  /no space left on device|disk quota exceeded/i.test(message);

export const engineFull = () =>
  new StepError('disk_full', 'the disk of the container engine is full', 'Free some space there and redeploy.');

/** The registry did not take an image, from a node of a Swarm or a build worker. */
export const registryFailed = ({ message, hint }: RegistryError) => new StepError('registry_failed', message, hint);

export const tookTooLong = (step: string, deadlineMs: number) =>
  new StepError(
    'timeout',
    `${step} took longer than ${Math.round(deadlineMs / 1000)} s and was stopped`,
    'If it needs more time, raise MOORING_BUILD_TIMEOUT.',
  );
