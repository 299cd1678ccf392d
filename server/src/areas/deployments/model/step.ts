import type { Db } from '../../../db/database.ts';
import type { DeploymentRow } from './store.ts';
import type { DeploymentConfig } from './model.ts';
import type { Parts } from './parts.ts';
import type { RunStack } from './run-stack.ts';

export type LogLevel = 'info' | 'warn' | 'error';

/** What a step is given. It may run again after a crash: it finds its own objects and goes on from there. */
export interface StepContext {
  deployment: DeploymentRow;
  config: DeploymentConfig;
  parts: Parts;
  db: Db;
  /** Results of the steps before, by name. */
  results: Record<string, Record<string, unknown> | undefined>;
  attempt: number;
  /** Aborted by cancel, by the step's deadline, or when another worker has taken over. */
  signal: AbortSignal;
  /** A line of the stream; secrets are hidden when it is written. */
  log: (line: string, level?: LogLevel, stream?: 'stdout' | 'stderr', service?: string) => void;
  /** Its services, where it has several. */
  stack: RunStack;
  /** Throws when another worker has taken over: called before each side effect. */
  checkLease: () => Promise<void>;
  /** Asks a person and waits; gives the answer or, when the time is over, the default. */
  ask: (question: string, options: string[], byDefault: string) => Promise<string>;
}

export type StepResult = Record<string, unknown>;

export interface Step {
  name: string;
  /** False for one that has nothing to do here: nobody hears of it. */
  isNeeded?(results: StepContext['results'], deployment: DeploymentRow): boolean;
  deadlineMs(context: Pick<StepContext, 'parts' | 'config'>): number;
  run(context: StepContext): Promise<StepResult>;
}
