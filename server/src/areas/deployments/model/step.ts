import type { StepResults } from './stored.ts';
import type { Db } from '../../../db/database.ts';
import type { DeploymentRow } from './store.ts';
import type { DeploymentConfig } from './model.ts';
import type { Parts } from './parts.ts';
import type { Phase } from './plan.ts';
import type { RunStack } from './run-stack.ts';

export type LogLevel = 'info' | 'warn' | 'error';

/** What a step is given. It may run again after a crash: it finds its own objects and goes on from there. */
export interface StepContext {
  deployment: DeploymentRow;
  config: DeploymentConfig;
  parts: Parts;
  db: Db;
  /** Results of the steps before, by name. */
  results: StepResults;
  attempt: number;
  /** Aborted by cancel, by the step's deadline, or when another worker has taken over. */
  signal: AbortSignal;
  /** A line of the stream; secrets are hidden when it is written. */
  log: (line: string, level?: LogLevel, stream?: 'stdout' | 'stderr', service?: string) => void;
  /** Its services; of an app there is one. */
  stack: RunStack;
  /** An app is shown as three steps where a stack has one. Each begins here, and the one before it is done. */
  phase: (name: Phase, options?: { isSkipped: boolean }) => Promise<void>;
  /** Throws when another worker has taken over: called before each side effect. */
  checkLease: () => Promise<void>;
  /** Asks a person and waits; gives the answer or, when the time is over, the default. */
  ask: (question: string, options: string[], byDefault: string) => Promise<string>;
}

/** Lines about one service. Those of an app need not say that they are about it. */
export const logOf =
  ({ context, state }: { context: Pick<StepContext, 'log' | 'stack'>; state: { name: string } }) =>
  (line: string, level?: LogLevel, stream?: 'stdout' | 'stderr'): void =>
    context.log(line, level, stream, context.stack.isApp ? undefined : state.name);

export type StepResult = Record<string, unknown>;

export interface Step {
  name: string;
  /** False for one that has nothing to do here: nobody hears of it. */
  isNeeded?(results: StepContext['results'], deployment: DeploymentRow): boolean;
  deadlineMs(context: Pick<StepContext, 'parts' | 'config'>): number;
  run(context: StepContext): Promise<StepResult>;
}
