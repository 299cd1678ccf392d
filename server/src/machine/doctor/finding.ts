import type { Environment } from '../../areas/instance/port.ts';
import type { Config } from '../../config.ts';
import type { Database } from '../../db/database.ts';

export type Finding = {
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
  environment: Environment;
  /** Undefined if the database cannot be opened. */
  database: Database | undefined;
};

/** A check reports everything that it finds. One that fails itself becomes a warning. */
export type Check = (deps: CheckDeps) => Promise<Finding[]>;

export const ok = (check: string, message: string): Finding => ({ check, level: 'ok', message });
export const warning = (check: string, message: string, fix?: string): Finding =>
  fix === undefined ? { check, level: 'warning', message } : { check, level: 'warning', message, fix };
export const problem = (check: string, message: string, fix?: string): Finding =>
  fix === undefined ? { check, level: 'problem', message } : { check, level: 'problem', message, fix };
