import { linkSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile, syncFolder } from '../../lib/replace-file.ts';

/** In order; `go_back` may follow any phase from `stop` on. */
export type UpdatePhase =
  | 'fetch'
  | 'verify'
  | 'unpack'
  | 'stop'
  | 'snapshot'
  | 'switch'
  | 'start'
  | 'check'
  | 'clean'
  | 'go_back';

/** Everything that a killed updater needs to continue. It exists exactly as long as an update is unfinished. */
export interface UpdateJournal {
  from: string;
  to: string;
  /** `bundle`: its files are in the download folder already. */
  source: 'download' | 'bundle';
  requestedBy: 'cli' | 'dashboard';
  /** Somebody named the version, so it may be older than the installed one. */
  isExplicit: boolean;
  startedAt: number;
  phase: UpdatePhase;
  /** How often an updater has started on it. */
  attempts: number;
  stoppedAt: number | null;
  awayMs: number | null;
  /** Folder of a complete snapshot. */
  snapshot: string | null;
  /** Other replicas use the database, which therefore stays as it is. */
  isShared?: boolean;
  /** The new version may have run, and changed the database. */
  mayHaveRun: boolean;
  failure: { reason: string; lines: string[] } | null;
}

const fileOf = (state: string): string => join(state, 'journal.json');

export function readJournal(state: string): UpdateJournal | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(state), 'utf8')) as UpdateJournal;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Creates the journal. Returns false if another update has one. */
export function createJournal(
  state: string,
  journal: Pick<UpdateJournal, 'from' | 'to' | 'source' | 'requestedBy' | 'isExplicit'>,
): boolean {
  const draft = `${fileOf(state)}.new`;
  const whole: UpdateJournal = {
    ...journal,
    startedAt: Date.now(),
    phase: 'fetch',
    attempts: 0,
    stoppedAt: null,
    awayMs: null,
    snapshot: null,
    mayHaveRun: false,
    failure: null,
  };
  replaceFile(draft, JSON.stringify(whole), 0o644);
  try {
    linkSync(draft, fileOf(state));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft);
    syncFolder(state);
  }
}

export const writeJournal = (state: string, journal: UpdateJournal): void =>
  replaceFile(fileOf(state), JSON.stringify(journal), 0o644);

export function removeJournal(state: string): void {
  rmSync(fileOf(state), { force: true });
  syncFolder(dirname(fileOf(state)));
}
