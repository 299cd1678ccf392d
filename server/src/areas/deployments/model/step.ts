import type { StepResults } from './stored.ts';
import type { Db } from '../../../db/database.ts';
import type { DeploymentRow } from './store.ts';
import type { DeploymentConfig } from './model.ts';
import type { Parts } from './parts.ts';
import type { RolloutPhase } from './plan.ts';
import type { RunStack } from './run-stack.ts';

export type LogLevel = 'info' | 'warn' | 'error';

/** Input of a step. A step may run again after a crash, so it must find its own objects and continue from there. */
export interface StepContext {
  deployment: DeploymentRow;
  config: DeploymentConfig;
  parts: Parts;
  db: Db;
  /** Results of the previous steps. */
  results: StepResults;
  attempt: number;
  /** Aborted on cancel, at the step's deadline, or when another worker takes over. */
  signal: AbortSignal;
  /** Writes a line to the stream; secrets are redacted on write. */
  log: (line: string, level?: LogLevel, stream?: 'stdout' | 'stderr', service?: string) => void;
  /** The deployment's services; an app has one. */
  stack: RunStack;
  /** Starts the next visible step and completes the previous one: an app shows three steps where a stack has one. */
  phase: (name: RolloutPhase, options?: { isSkipped: boolean }) => Promise<void>;
  /** Throws if another worker has taken over. Call it before each side effect. */
  checkLease: () => Promise<void>;
  /** Asks a person and waits. Returns the answer, or the default on timeout. */
  ask: (question: string, options: string[], byDefault: string) => Promise<string>;
}

/** Logs lines of one service. An app's lines do not carry the service name. */
export const serviceLog =
  ({ context, state }: { context: Pick<StepContext, 'log' | 'stack'>; state: { name: string } }) =>
  (line: string, level?: LogLevel, stream?: 'stdout' | 'stderr'): void =>
    context.log(line, level, stream, context.stack.isApp ? undefined : state.name);

export type StepResult = Record<string, unknown>;

export interface Step {
  name: string;
  /** False if the step has nothing to do: it is then not shown. */
  isNeeded?(results: StepContext['results'], deployment: DeploymentRow): boolean;
  deadlineMs(context: Pick<StepContext, 'parts' | 'config'>): number;
  run(context: StepContext): Promise<StepResult>;
}
