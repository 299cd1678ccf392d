import type { Sandbox } from '../../host/sandbox.ts';
import type { InstanceRecord } from './state-file.ts';

/** What the supervisor gets on its standard input, and keeps in its memory alone: the variables are in it. */
export interface SupervisorSpec {
  /** Where state and logs are. */
  folder: string;
  record: InstanceRecord;
  app: {
    command: string;
    folder: string;
    env: Record<string, string>;
    secretKeys: string[];
    sandbox: Sandbox | null;
  };
  limits: SupervisorLimits;
}

export interface SupervisorLimits {
  logFileBytes: number;
  logFiles: number;
  firstPauseMs: number;
  longestPauseMs: number;
  /** Up for this long, it counts as well: the next pause is the first one again. */
  steadyMs: number;
  memoryCheckMs: number;
}

export const defaultLimits: SupervisorLimits = {
  logFileBytes: 5_000_000,
  logFiles: 3,
  firstPauseMs: 200,
  longestPauseMs: 10_000,
  steadyMs: 60_000,
  memoryCheckMs: 3_000,
};

/** Grace where nobody has said another: a restart, and a stop whose own could not be written down. */
export const usualGraceMs = 10_000;

/** Its name in the supervisor's folder: how long the stop that is asked for by SIGTERM may take. */
export const graceFile = 'stop-grace';
