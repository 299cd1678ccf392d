import type { Sandbox } from '../../host/sandbox.ts';
import type { InstanceRecord } from './state-file.ts';

/** Passed on standard input and kept in memory only, because it contains the variables. */
export interface SupervisorSpec {
  /** Folder of state and logs. */
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
  /** After this uptime the app counts as stable: the restart delay is reset. */
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

/** Grace period of a restart, and of a stop whose own could not be written. */
export const usualGraceMs = 10_000;

/** File in the supervisor's folder with the grace period of the stop requested by SIGTERM. */
export const graceFile = 'stop-grace';
