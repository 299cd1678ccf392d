import type { ProcessEnvironment } from '../../areas/instance/port.ts';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/database.ts';

export type DoctorFinding = {
  /** What was checked, as a noun. */
  check: string;
  level: 'ok' | 'warning' | 'problem';
  message: string;
  /** A command or an action. */
  fix?: string;
};

export type CheckDeps = {
  config: Config;
  /** With proxy settings. */
  environment: ProcessEnvironment;
  /** Undefined if the database cannot be opened. */
  database: Database | undefined;
};

/** A check reports everything that it finds. One that fails itself becomes a warning. */
export type DoctorCheck = (deps: CheckDeps) => Promise<DoctorFinding[]>;

export const okFinding = (check: string, message: string): DoctorFinding => ({ check, level: 'ok', message });
export const warningFinding = (check: string, message: string, fix?: string): DoctorFinding =>
  fix === undefined ? { check, level: 'warning', message } : { check, level: 'warning', message, fix };
export const problemFinding = (check: string, message: string, fix?: string): DoctorFinding =>
  fix === undefined ? { check, level: 'problem', message } : { check, level: 'problem', message, fix };
