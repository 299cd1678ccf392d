import type { FileOptions, FoundDatabase } from '../../../lib/archive/folder-tar.ts';
import type { ArchiveEntry } from '../../../lib/archive/reader.ts';
import type { WrittenEntry } from '../../../lib/archive/writer.ts';

export const databaseEngineNames = ['postgres', 'mysql', 'mariadb', 'mongodb', 'redis', 'sqlite'] as const;
export type DatabaseEngineName = (typeof databaseEngineNames)[number];

/** Data of a project that can be backed up, as users name it. */
export type SourceRef =
  | { type: 'volume'; volume: string }
  | { type: 'database'; service: string; engine?: DatabaseEngineName | undefined; database?: string | undefined }
  | { type: 'files'; service: string; path: string };

/** The environment of a project that data belongs to. */
export type DataOwner = { organizationId: string; projectId: string; environment: string };

export interface FoundSource {
  /** Complete, so that it means the same data later. */
  ref: SourceRef;
  /** Unique in the project and safe as part of an object key: `volume-uploads`, `database-db-shop`. */
  name: string;
  /** Why it was found, for people: `the service db runs postgres:16`. */
  reason: string;
  /** Backed up unless a policy names its sources. Raw volumes of a database that is dumped are not. */
  isDefault: boolean;
}

/** How a volume is read while services write to it. */
export type Consistency = 'check' | 'pause';

/** Receives the content of a source. */
export interface ArchiveContent {
  /** Adds a folder of this machine. SQLite databases are left out and returned, with their paths inside the folder. */
  folder(folder: string): Promise<{ databases: FoundDatabase[]; skipped: { path: string; why: string }[] }>;
  /** Adds a file of this machine. */
  file(file: string, entry: FileOptions['entry']): Promise<void>;
  entries(entries: AsyncIterable<WrittenEntry>): Promise<void>;
  /** Returns the paths of some files of a folder that changed since a time, other than these databases. */
  changedSince(folder: string, sinceMs: number, databases: FoundDatabase[]): Promise<string[]>;
}

/** Packs what `fill` adds. Called again, it starts over. */
export type PackContent = (fill: (content: ArchiveContent) => Promise<void>) => Promise<void>;

export type RestoreTarget =
  /** Replaces the data. What writes to it is stopped meanwhile, and started again. */
  | { to: 'in-place' }
  /** A new volume, or a new database beside the old one. */
  | { to: 'new'; name: string }
  /** A place of its own that nothing else uses, to look at or to prove the backup. */
  | { to: 'scratch'; query: string | null };

export interface RestoreOutcome {
  /** Where the data is now, for people: `the volume uploads`. */
  place: string;
  /** What shows that the data is usable: rows of each table, the result of the query, or files and their bytes. */
  proof: { query: string; result: string };
}

export interface SourceCall {
  signal: AbortSignal;
  /** Unique to this backup or restore, and the same after a crash. */
  jobId: string;
  /** Empty folder on this machine for temporary files. */
  folder: string;
  say: (line: string) => void;
}

/** Reads and restores the data of projects. Every call can be repeated after a kill -9 in the middle of it. */
export interface BackupSources {
  find(owner: DataOwner): Promise<FoundSource[]>;
  /** Returns what a policy backs up. Throws a BackupError for a source that does not exist. */
  resolve(owner: DataOwner, wanted: 'all' | SourceRef[]): Promise<FoundSource[]>;
  /** Packs the data as of one moment. */
  read(
    owner: DataOwner,
    ref: SourceRef,
    options: SourceCall & { consistency: Consistency },
    pack: PackContent,
  ): Promise<void>;
  restore(
    owner: DataOwner,
    ref: SourceRef,
    entries: AsyncIterable<ArchiveEntry>,
    target: RestoreTarget,
    call: SourceCall,
  ): Promise<RestoreOutcome>;
  /** Removes the scratch place of a restore; does nothing if there is none. */
  removeScratch(owner: DataOwner, jobId: string): Promise<void>;
  /** After a crash, and after a restore in place: continues services that the job had paused or stopped, and
   * deployments that wait for it. */
  recover(owner: DataOwner, jobId: string): Promise<void>;
  /** Waits until the services respond. Returns the reason for each one that does not. */
  untilServing(owner: DataOwner): Promise<string[]>;
  /** Runs a command of the policy in the first service, or in the named one. Throws a BackupError if it fails. */
  runHook(owner: DataOwner, hook: { service?: string | undefined; command: string }, call: SourceCall): Promise<void>;
}

/** A failed backup or restore, with a message that users can act on. Contains no secrets. */
export class BackupError extends Error {
  override name = 'BackupError';
  readonly code: string;
  readonly hint: string;

  constructor(code: string, message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    [this.code, this.hint] = [code, hint];
  }
}
