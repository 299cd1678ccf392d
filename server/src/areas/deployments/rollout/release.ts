import type { Exit } from '../../../drivers/host/host.ts';
import { requireContainers } from '../model/artifact.ts';
import { appService, type ServiceImage } from '../model/stack.ts';
import type { CrashExcerpt } from '../model/crash-excerpt.ts';
import { rememberLines } from '../build/crash-report.ts';
import { engineFull, isEngineFull } from '../model/failure.ts';
import { reserveForServices } from '../limits/reserve.ts';
import { previousHint } from './previous-release.ts';
import type { AppUser } from '../../../drivers/host/sandbox.ts';
import { selectActive } from '../model/store.ts';
import { volumesToCarryOver } from '../release/carry-over.ts';
import { layOutVolumes, linkedVolumes } from '../release/volumes.ts';
import { onceSpec } from '../release/release-spec.ts';
import { commandFailed, runCommand } from '../build/command.ts';
import { openTools } from '../build/toolchain/toolchain.ts';
import { fixHint } from '../build/fix-hint.ts';
import type { Step, StepContext } from '../model/step.ts';

/**
 * Runs the release command, usually a database migration, before the new release starts. If the service or the engine
 * is interrupted, it runs again, because nothing shows how far it got.
 */
export const release: Step = {
  name: 'release',
  isNeeded: ({ detect }) => Boolean(detect?.releaseCommand),
  deadlineMs: ({ parts }) => parts.timeouts.buildMs,
  async run(context) {
    const { results, log, attempt, config } = context;
    const command = results.detect!.releaseCommand!;
    await reserveForServices(context);
    if (attempt > 1) log(`This step was interrupted: the release command runs again (attempt ${attempt})`, 'warn');
    log(`$ ${command}`);
    const { image } = context.stack.states.of(appService);
    const exit = await (image ? inContainer(context, image, command) : inFolder(context, command));
    if (exit.code !== 0) {
      const { excerpt, signal } = exit;
      const hint = fixHint({ step: 'release', excerpt, isKilled: signal !== null }, config);
      throw commandFailed('release_failed', 'The release command', exit, hint + (await previousHint(context)));
    }
    return {};
  },
};

type Ended = Pick<Exit, 'code' | 'signal'> & { excerpt: CrashExcerpt | null };

const inFolder = async (context: StepContext, command: string): Promise<Ended> => {
  const { config, parts, deployment, results, signal, stack } = context;
  const user = await parts.userOf(deployment.projectId);
  const { folder } = stack.states.of(appService);
  return runCommand(context, command, {
    step: 'release',
    user,
    variables: config.variables,
    toolchain: await openTools(parts, results.detect!, folder?.tools, signal),
    volumes: await volumesFor(context, user),
  });
};

/** If the active release still runs from the same folder, `start` lays out the volumes later. */
async function volumesFor({ db, parts, deployment, config, stack, log }: StepContext, user: AppUser | null) {
  const { organizationId, projectId, environment, artifactId } = deployment;
  const made = { deployment, config, stack: stack.wanted };
  const active = await selectActive(db, organizationId, projectId, environment);
  if (active?.artifactId !== artifactId) return layOutVolumes(parts, made, user);
  const { linked, missing } = await linkedVolumes(parts, made);
  if (missing.length) log(notMounted(missing), 'warn');
  return linked;
}

const notMounted = (names: readonly string[]): string => {
  const [which, are] = names.length > 1 ? ['volumes', 'they are'] : ['volume', 'it is'];
  return `The release command runs without the ${which} ${names.join(', ')}: ${are} mounted when the new release starts`;
};

async function inContainer(context: StepContext, image: ServiceImage, command: string): Promise<Ended> {
  const { parts, deployment, config, stack, results, signal } = context;
  const { log, excerpt } = rememberLines(context.log);
  const recipe = results.detect!;
  await context.checkLease();
  const made = { deployment, config, stack: stack.wanted, recipe };
  const missing = volumesToCarryOver(parts, made);
  if (missing.length) context.log(notMounted(missing), 'warn');
  const spec = await onceSpec(parts, made, image, command, missing);
  const { exitCode } = await requireContainers(parts)
    .runOnce(spec, {
      signal,
      deadlineMs: parts.timeouts.buildMs,
      onLine: (line, stream) => log(line, 'info', stream),
    })
    .catch((error: Error) => {
      throw isEngineFull(error) ? engineFull() : error;
    });
  return { code: exitCode, signal: null, excerpt: excerpt() };
}
