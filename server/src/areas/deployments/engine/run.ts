import { configIn, promptIn, stepResultsIn, type StepResults } from '../model/stored.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDiskFull, isUnavailable, type Trx } from '../../../db/database.ts';
import { LostLeaseError } from '../../../events/event-log.ts';
import { newId } from '../../../lib/ids.ts';
import type { EdgeRoute } from '../../../drivers/edge/edge.ts';
import { EngineAwayError, ImageMissingError } from '../../../drivers/runtime/errors.ts';
import { endBuildOf } from '../model/artifact.ts';
import { changeAtBegin, changeAtEnd } from './step-changes.ts';
import { countCrash, endingEvents, isUnfinishedStep, releaseAfterFailure } from './step-endings.ts';
import { withDetectionHints } from '../stack/detection-hints.ts';
import { engineStaysAway, deploymentFailureOf, fullDisk, isRetryPointless, tookTooLong } from '../model/failure.ts';
import { Deadline } from './deadline.ts';
import { untilAborted } from '../../../lib/until-aborted.ts';
import { Journal } from './journal.ts';
import { JournaledPlan } from './journaled-plan.ts';
import { CancelledError, Lease, StoppingError } from '../../../events/lease.ts';
import { type DeploymentConfig, isFinished, StepError } from '../model/model.ts';
import { removeDeploymentParts, rollBackServices } from './undo-deployment.ts';
import { RunLog } from './run-log.ts';
import { withBuilder } from '../model/machines.ts';
import type { Parts, RunnerParts } from '../model/parts.ts';
import {
  isAfterwork,
  isBuildStep,
  isRolloutPhase,
  type RolloutPhase,
  planAfterDetect,
  type StepName,
} from '../model/plan.ts';
import { routesBefore } from '../rollout/routes-before.ts';
import { RunStack } from '../model/run-stack.ts';
import { selectScales } from '../model/scale.ts';
import { withSourceSettings } from '../model/source-settings.ts';
import { selectMounted } from '../model/volume-store.ts';
import type { RolloutOutcome } from '../rollout/steps.ts';
import {
  type DeploymentRow,
  deactivatePreviousRelease,
  selectActive,
  selectDeployment,
  type StepRow,
} from '../model/store.ts';
import { releaseLease, renewLease, updateUnderFence } from '../model/queue.ts';
import { endSteps, replaceWaitingSteps, resetSteps, selectSteps, updateStep } from '../model/step-store.ts';
import { steps } from '../rollout/index.ts';
import { withWorkers } from '../workers/worker-images.ts';
import type { StepContext } from '../model/step.ts';

const retryPauseMs = 1000;
const maxRetryPauseMs = 15_000;
const cleanupMs = 15_000;
const rollbackMs = 180_000;
const maxAttempts = 8;
const maxAfterworkAttempts = 3;

/** Runs one deployment from its current step to its end. */
export class Run {
  readonly #deps: RunnerParts;
  readonly #deployment: DeploymentRow;
  readonly #config: DeploymentConfig;
  readonly #stack: RunStack;
  readonly #planned: JournaledPlan;
  readonly #journal: Journal;
  readonly #lease: Lease;
  readonly #results: StepResults = {};
  readonly #log: RunLog;
  #step: string | null = null;
  #attempt = 0;
  /** Of the current step. */
  #deadline: Deadline | undefined;
  readonly #onBuildSlotFree: () => void;
  /** Whether it builds or is about to, and so needs a build slot. */
  needsBuildSlot = true;

  constructor(
    runner: RunnerParts & { here: Parts },
    deployment: DeploymentRow,
    stopping: AbortSignal,
    onBuildSlotFree: () => void,
  ) {
    this.#onBuildSlotFree = onBuildSlotFree;
    this.#deployment = deployment;
    this.#config = configIn(runner.sealer, deployment);
    const parts = withBuilder(runner.parts, runner.here, this.#config);
    const pause = () => this.#deadline?.pause() ?? (() => {});
    const deps = { ...runner, parts: withWorkers(parts, { ...runner, pause }, deployment, this.#config) };
    this.#deps = deps;
    this.#journal = new Journal(deps.db, deps.events, deployment);
    this.#stack = new RunStack({
      sealer: deps.sealer,
      journal: this.#journal,
      deployment,
      secrets: this.#config.variables.filter(({ secret }) => secret).map(({ value }) => value),
      routesBefore: () => this.#routesBefore(),
      volumes: () => selectMounted(deps.db, deployment),
      scale: async () => (await selectScales(deps.db, [deployment.projectId])).get(deployment.projectId),
    });
    this.#log = new RunLog(
      () => this.#step,
      (line) => deps.events.add(deployment.id, deployment.fence, 'log', { ...line, line: this.#redact(line.line) }),
    );
    this.#planned = new JournaledPlan(deps, deployment, this.#config, this.#stack);
    this.#lease = new Lease({
      what: `deployment ${deployment.id}`,
      renew: () => renewLease(deps.db, deps.kind, deployment.id, deployment.fence),
      stopping,
      warn: (message) => deps.log.warn(message),
    });
  }

  get id(): string {
    return this.#deployment.id;
  }

  /** Checks for requests at once instead of waiting for the heartbeat. */
  wake(): void {
    this.#lease.beat().catch((error: Error) => this.#deps.log.warn(`heartbeat of ${this.id}: ${error.message}`));
  }

  async run(): Promise<void> {
    try {
      do await this.#doAll();
      while (!(await this.#releaseLease()));
    } catch (error) {
      await this.#end(error as Error);
    } finally {
      this.#lease.end();
      this.#deps.events.done(this.id);
    }
  }

  /** Runs one step after the other, including steps that are added on the way. */
  async #doAll(): Promise<void> {
    for (let left = await this.#retryWhileEngineAway(() => this.#plan()); left[0]; left = await this.#left()) {
      // A partial failure waits for a decision, but its replaced containers are stopped meanwhile.
      if (this.#deployment.status === 'partial_failure' && left[0].name !== 'retire') return;
      await this.#do(left[0]);
    }
  }

  /** Returns false if a decision came at the last moment and more steps are left. */
  async #releaseLease(): Promise<boolean> {
    const { db } = this.#deps;
    const { fence, organizationId, decision } = this.#deployment;
    if (await releaseLease(db, this.id, fence, decision)) return true;
    const now = await selectDeployment(db, organizationId, this.id);
    if (now?.fence !== fence) return true;
    Object.assign(this.#deployment, now);
    // `retire` may have run before the decision added more to remove.
    if (now.decision === 'kept') await resetSteps(db, this.id, ['retire']);
    return false;
  }

  async #left(): Promise<StepRow[]> {
    return (await selectSteps(this.#deps.db, this.id)).filter(isUnfinishedStep);
  }

  async #routesBefore(): Promise<EdgeRoute[]> {
    const { organizationId, projectId, environment } = this.#deployment;
    const active = await selectActive(this.#deps.db, organizationId, projectId, environment);
    return routesBefore(this.#deps, active, this.#stack.states.all());
  }

  #redact(line: string): string {
    return this.#stack.redact(line);
  }

  /** Returns the remaining steps. Steps that a killed worker finished are not repeated. */
  async #plan(): Promise<StepRow[]> {
    const rows = await this.#planned.rows();
    Object.assign(this.#results, stepResultsIn(rows));
    return rows.filter(isUnfinishedStep);
  }

  /** Waits for an engine that is away, for example after a reboot. */
  async #retryWhileEngineAway<T>(task: () => Promise<T>): Promise<T> {
    for (const end = Date.now() + this.#deps.parts.timeouts.engineMs; ; await sleep(retryPauseMs)) {
      try {
        return await untilAborted(task(), this.#lease.signal);
      } catch (error) {
        if (!(error instanceof EngineAwayError)) throw error;
        if (Date.now() > end || isRetryPointless(error)) throw engineStaysAway(error, this.#deps.parts.server);
        await this.#lease.check();
      }
    }
  }

  async #do(row: StepRow): Promise<void> {
    const name = row.name as StepName;
    const step = isRolloutPhase(name) ? steps.services : steps[name];
    if (step.isNeeded?.(this.#results, this.#deployment) === false) {
      await updateStep(this.#deps.db, this.id, name, { status: 'skipped' });
      return;
    }
    const quiet = isAfterwork(name);
    this.#setNeedsBuildSlot(isBuildStep(name));
    const attempt = row.attempt + 1;
    this.#step = name;
    this.#attempt = attempt;
    await this.#lease.check();
    const begun = { attempt, ...countCrash(row, this.#deps.processId) };
    await this.#journal.begin(name, begun, changeAtBegin(name, this.#deployment), quiet);
    if (attempt > 1) await this.#retryWhileEngineAway(() => this.#endLeftovers());
    const deadlineMs = step.deadlineMs({ parts: this.#deps.parts, config: this.#config });
    const deadline = (this.#deadline = new Deadline(deadlineMs));
    const signal = AbortSignal.any([this.#lease.signal, deadline.signal]);
    const context = this.#context(isRolloutPhase(name) ? await this.#phaseAttempt() : attempt, signal);
    const found = await untilAborted(step.run(context), signal)
      .catch((error: unknown) => {
        this.#lease.signal.throwIfAborted();
        if (deadline.signal.aborted) throw tookTooLong(this.#step ?? name, deadlineMs);
        throw error;
      })
      .finally(() => deadline.end());
    // The result contains the commit message too.
    const { commitMessage: said } = found;
    const result = typeof said === 'string' ? { ...found, commitMessage: this.#redact(said) } : found;
    Object.assign(this.#results, { [name]: result });
    this.#log.flush();
    const isServices = name === 'services' || isRolloutPhase(name);
    const also =
      isServices && (result as RolloutOutcome).outcome === 'ready'
        ? (trx: Trx) => deactivatePreviousRelease(trx, this.#deployment)
        : name === 'detect' && !this.#stack.isApp
          ? (trx: Trx) => replaceWaitingSteps(trx, this.id, planAfterDetect(this.#wanted()))
          : undefined;
    await this.#journal.finish(
      this.#step,
      result['outcome'] === 'partial' ? 'failed' : 'done',
      result,
      // A prompt stays open until its step is done, so that a kill does not ask twice.
      { ...(this.#deployment.prompt && { prompt: null, promptAnswer: null }), ...changeAtEnd(name, result) },
      quiet,
      also,
    );
  }

  /** Advances through the steps of an app that are one step of a stack. Steps done by an earlier attempt stay done. */
  async #phase(name: RolloutPhase, { isSkipped } = { isSkipped: false }): Promise<void> {
    const rows = await selectSteps(this.#deps.db, this.id);
    const row = rows.find((each) => each.name === name);
    if (!row || !isUnfinishedStep(row)) return;
    const before = rows.find((each) => each.name === this.#step && each.name !== name);
    if (before && isRolloutPhase(before.name) && isUnfinishedStep(before))
      await this.#journal.finish(before.name, 'done', {}, {}, false);
    if (isSkipped) {
      await this.#journal.finish(name, 'skipped', { static: true }, {}, false);
      return;
    }
    if (this.#step === name && row.status === 'running') return;
    this.#step = name;
    const begun = { attempt: row.attempt + 1, ...countCrash(row, this.#deps.processId) };
    await this.#journal.begin(name, begun, changeAtBegin(name, this.#deployment), false);
  }

  /** Returns the highest attempt of these steps. */
  async #phaseAttempt(): Promise<number> {
    const rows = await selectSteps(this.#deps.db, this.id);
    return Math.max(...rows.filter(({ name }) => isRolloutPhase(name)).map(({ attempt }) => attempt));
  }

  /** Ends commands of a killed process, which would share the folder with ours. */
  async #endLeftovers(): Promise<void> {
    const count = await endBuildOf(this.#deps.parts, this.#deployment);
    const processes = count === 1 ? '1 process' : `${count} processes`;
    if (count) this.#log.say(`Stopped processes of the previous attempt: ${processes}`, 'warn');
  }

  #wanted(): { rollback: boolean; requireApproval: boolean } {
    return { rollback: this.#deployment.rollbackOf !== null, requireApproval: this.#config.requireApproval };
  }

  #context(attempt: number, signal: AbortSignal): StepContext {
    return {
      deployment: this.#deployment,
      config: withSourceSettings(this.#config, this.#stack.isApp ? this.#stack.wanted.app : this.#results.detect),
      parts: this.#deps.parts,
      db: this.#deps.db,
      results: this.#results,
      attempt,
      signal,
      log: this.#log.say,
      stack: this.#stack,
      phase: (name, options) => (this.#stack.isApp ? this.#phase(name, options) : Promise.resolve()),
      checkLease: () => this.#lease.check(),
      ask: (question, options, byDefault) => this.#ask(question, options, byDefault),
    };
  }

  async #ask(question: string, options: string[], byDefault: string): Promise<string> {
    const open = promptIn(this.#deployment);
    const prompt = open ?? {
      id: newId('prm'),
      question,
      options,
      byDefault,
      expiresAt: Date.now() + this.#deps.parts.timeouts.promptMs,
    };
    if (!open)
      await this.#journal.write({ prompt: JSON.stringify(prompt), promptAnswer: null }, [
        { type: 'prompt', data: { ...prompt } },
      ]);
    const neededBuildSlot = this.needsBuildSlot;
    this.#setNeedsBuildSlot(false);
    const waiting = this.#lease.answer(Math.max(0, prompt.expiresAt - Date.now()));
    this.wake();
    return (await waiting.finally(() => this.#setNeedsBuildSlot(neededBuildSlot))) ?? byDefault;
  }

  /** Frees the build slot while the deployment starts, is checked or waits for a person. */
  #setNeedsBuildSlot(needsBuildSlot: boolean): void {
    const isFreed = this.needsBuildSlot && !needsBuildSlot;
    this.needsBuildSlot = needsBuildSlot;
    if (isFreed) this.#onBuildSlotFree();
  }

  /** Decides by the error whether to retry, resume later, or fail and clean up. */
  async #end(error: Error): Promise<void> {
    const { log, db } = this.#deps;
    if (error instanceof LostLeaseError) return;
    if (error instanceof StoppingError) {
      // Expires the lease, so that the next process continues at once.
      if ((await updateUnderFence(db, this.id, this.#deployment.fence, { leaseUntil: 0 })) && this.#step)
        await updateStep(db, this.id, this.#step, { process: null });
      return;
    }
    if (this.#isWorthAnotherTry(error)) {
      log.warn(`${this.#step} of ${this.id} is retried: ${error.message}`);
      if (!isAfterwork(this.#step ?? '')) this.#log.say(`Retrying: ${error.message}`, 'warn');
      await sleep(Math.min(retryPauseMs * 2 ** (this.#attempt - 1), maxRetryPauseMs));
      await updateUnderFence(db, this.id, this.#deployment.fence, { leaseUntil: 0 });
      return;
    }
    // Failed after-work undoes nothing, not even for a deployment that waits for a decision.
    if (isFinished(this.#deployment.status) || isAfterwork(this.#step ?? '')) {
      log.warn(`${this.#step} after deployment ${this.id}: ${error.message}`);
      // A decision came meanwhile, so another worker continues.
      if (!(await releaseAfterFailure(db, this.#deployment, this.#step)))
        await updateUnderFence(db, this.id, this.#deployment.fence, { leaseUntil: 0 });
      return;
    }
    if (isUnavailable(error) && !isDiskFull(error)) {
      // The database is away. The deployment is resumed later, as after a crash.
      log.warn(`deployment ${this.id} waits for the database: ${error.message}`);
      await sleep(retryPauseMs);
      return;
    }
    const reason = error instanceof CancelledError ? error : ((await fullDisk(error, this.#deps.parts)) ?? error);
    if (!(reason instanceof StepError) && !(reason instanceof CancelledError))
      log.error({ err: reason }, `deployment ${this.id} failed at ${this.#step}`);
    await this.#leaveNothing();
    await this.#close(reason).catch((closing: Error) => {
      // Another worker has taken over.
      if (!(closing instanceof LostLeaseError)) throw closing;
    });
  }

  /**
   * After an edge error it is unknown whether the edge has switched, so the new release stays and the step is retried.
   * An engine may come back, also during after-work, and a removed image is rebuilt. After-work that failed once would
   * leave a release behind that is half removed.
   */
  #isWorthAnotherTry(error: Error): boolean {
    if (error instanceof CancelledError || this.#attempt >= maxAttempts) return false;
    if (this.#step === 'route') return true;
    if (isAfterwork(this.#step ?? '') && this.#attempt < maxAfterworkAttempts) return true;
    const isAway = error instanceof EngineAwayError && !isRetryPointless(error);
    return this.#attempt > 0 && (isAway || error instanceof ImageMissingError);
  }

  async #close(error: Error): Promise<void> {
    const status = error instanceof CancelledError ? 'cancelled' : 'failed';
    const rows = await selectSteps(this.#deps.db, this.id);
    // Without a current step it failed before it resumed, for example because the engine was away.
    const step = this.#step ?? rows.find(isUnfinishedStep)?.name ?? null;
    const hints = this.#results.detect?.hints;
    const failed = deploymentFailureOf(error, step, (text) => this.#redact(text), this.#deps.parts);
    const failure = withDetectionHints(failed, hints, this.#config);
    const over = { finishedAt: Date.now(), prompt: null, leaseOwner: null, leaseUntil: null };
    this.#log.flush();
    const line = `Failed${step ? ` at ${step}` : ''}: ${failure.message}`;
    if (status === 'failed') this.#log.write({ line, level: 'error', stream: 'stdout', service: null });
    await this.#journal.write(
      { status, error: JSON.stringify(failure), ...over },
      [
        ...endingEvents(rows, step, status),
        { type: 'status', data: { status, decision: this.#deployment.decision } },
        { type: 'end', data: { status } },
      ],
      (trx) => endSteps(trx, this.id, step, status),
    );
  }

  /** Removes the new release; the old one was never touched. The folder goes first, to free a full disk. */
  async #leaveNothing(): Promise<void> {
    const { db } = this.#deps;
    const { fence, organizationId } = this.#deployment;
    // If another worker has taken over, the containers and the folder are its own.
    if ((await selectDeployment(db, organizationId, this.id))?.fence !== fence) return;
    const signal = AbortSignal.timeout(rollbackMs);
    const context = { ...this.#context(this.#attempt, signal), checkLease: () => this.#lease.requireHeld() };
    if (this.#stack.isThere) await rollBackServices(context, this.#deps.log);
    // A failed or hanging cleanup must not block the end of the deployment; upkeep retries.
    await Promise.race([removeDeploymentParts(context, this.#deps.log), sleep(cleanupMs, undefined, { ref: false })]);
    if (this.#deployment.artifactId !== this.id) return;
    this.#deployment.artifactKept = 0;
    await updateUnderFence(db, this.id, fence, { artifactKept: 0 });
  }
}
