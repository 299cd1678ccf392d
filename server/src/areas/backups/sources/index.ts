import type { DatabaseKind, Db } from '../../../db/database.ts';
import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import { ArchiveError } from '../../../lib/archive/reader.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import type { Sealer } from '../../../lib/seal.ts';
import {
  gateDeployments,
  type Machines,
  type ProjectData,
  projectData,
  ServiceHolds,
  untilServing,
} from '../../deployments/port.ts';
import { dropScratchDatabases, readDatabase, restoreAnyDatabase } from './databases/databases.ts';
import { packContainerFolder, restoreContainerFolder } from './files.ts';
import { findSources } from './find.ts';
import { keyPart } from './object-key-parts.ts';
import { runHook } from './hooks.ts';
import {
  BackupError,
  type DataOwner,
  type FoundSource,
  type RestoreOutcome,
  type RestoreTarget,
  type SourceCall,
  type SourceRef,
  type BackupSources,
} from './source.ts';
import { readVolume } from './volumes/read.ts';
import { incompleteVolume, restoreVolume, scratchFolder, volumeInScratch } from './volumes/restore.ts';

type Deps = { db: Db; kind: DatabaseKind; sealer: Sealer; machines: Machines };

/** Reads and restores the data of projects, wherever their services run. */
export function createBackupSources(deps: Deps): BackupSources {
  return new ProjectSources(deps);
}

class ProjectSources implements BackupSources {
  readonly #deps: Deps;
  readonly #holds: ServiceHolds;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#holds = new ServiceHolds(deps);
  }

  async find(owner: DataOwner): Promise<FoundSource[]> {
    const data = await projectData(this.#deps, owner);
    return data ? findSources(data) : [];
  }

  async resolve(owner: DataOwner, wanted: 'all' | SourceRef[]): Promise<FoundSource[]> {
    const found = await this.find(owner);
    if (wanted === 'all') return found.filter(({ isDefault }) => isDefault);
    return wanted.map((ref) => {
      if (ref.type === 'files') return filesSource(ref);
      const source = found.find((each) => isMeant(each.ref, ref));
      if (!source) throw missing(ref);
      return source;
    });
  }

  read: BackupSources['read'] = (owner, ref, options, pack) =>
    asBackupErrors(async () => {
      const data = await this.#data(owner);
      if (ref.type === 'database') return readDatabase({ data, holds: this.#holds }, ref, options, pack);
      if (ref.type === 'files') return packContainerFolder(data, ref, options, pack);
      return readVolume({ data, volume: volumeOf(data, ref.volume), holds: this.#holds }, options, pack);
    });

  restore: BackupSources['restore'] = (owner, ref, entries, target, call) =>
    asBackupErrors(async (): Promise<RestoreOutcome> => {
      const holds = this.#holds;
      if (ref.type === 'volume') {
        // A copy to look at needs no volume that still exists.
        if (target.to === 'scratch')
          return volumeInScratch(this.#deps.machines.here, ref.volume, entries, target.query, call);
        const data = await this.#dataFor(owner, target, call);
        const restoring = { db: this.#deps.db, holds, owner, data, volume: volumeOf(data, ref.volume) };
        return restoreVolume(restoring, entries, target, call);
      }
      const data = await this.#dataFor(owner, target, call);
      if (ref.type === 'files') return restoreContainerFolder(data, ref, entries, target, call);
      return restoreAnyDatabase({ data, holds }, ref, entries, target, call);
    });

  /** In place, deployments wait from now on. */
  async #dataFor(owner: DataOwner, target: RestoreTarget, { jobId }: SourceCall): Promise<ProjectData> {
    const data = await this.#data(owner);
    if (target.to === 'in-place' && !(await gateDeployments(this.#deps, data.resting.row, jobId)))
      throw new BackupError('deployment_running', 'A deployment of this environment is running', 'Restore after it.');
    return data;
  }

  removeScratch: BackupSources['removeScratch'] = (owner, jobId) =>
    asBackupErrors(async () => {
      await removeTree(scratchFolder({ parts: this.#deps.machines.here }, jobId));
      const data = await projectData(this.#deps, owner);
      if (!data) return;
      await data.parts.containers?.services.data.removeScratch(jobId);
      await dropScratchDatabases(data, jobId);
    });

  recover: BackupSources['recover'] = (_owner, jobId) =>
    asBackupErrors(async () => {
      const [incomplete] = await this.#holds.recover(jobId);
      if (incomplete !== undefined) throw incompleteVolume(incomplete);
    });

  untilServing: BackupSources['untilServing'] = (owner) =>
    asBackupErrors(async () => {
      const { parts, resting } = await this.#data(owner);
      return untilServing(parts, resting);
    });

  runHook: BackupSources['runHook'] = (owner, hook, call) =>
    asBackupErrors(async () => runHook(await this.#data(owner), hook, call));

  async #data(owner: DataOwner): Promise<ProjectData> {
    const data = await projectData(this.#deps, owner);
    if (data) return data;
    throw new BackupError('not_deployed', `Nothing is deployed in ${owner.environment}`, 'Deploy the project first.');
  }
}

const volumeOf = (data: ProjectData, name: string) => {
  const volume = data.volumes.find((each) => each.name === name);
  if (!volume) throw missing({ type: 'volume', volume: name });
  return volume;
};

const filesSource = (ref: SourceRef & { type: 'files' }): FoundSource => ({
  ref,
  name: `files-${keyPart(ref.service)}-${keyPart(ref.path)}`,
  reason: `files of the service ${ref.service}`,
  isDefault: false,
});

/** A reference may leave out what is not ambiguous. */
function isMeant(found: SourceRef, wanted: SourceRef): boolean {
  if (found.type === 'volume') return wanted.type === 'volume' && wanted.volume === found.volume;
  if (found.type !== 'database' || wanted.type !== 'database' || wanted.service !== found.service) return false;
  const isSame = (field: 'engine' | 'database') => wanted[field] === undefined || wanted[field] === found[field];
  // A SQLite file has to be named.
  if (found.engine === 'sqlite' && wanted.database === undefined) return false;
  return isSame('engine') && isSame('database');
}

function missing(ref: SourceRef): BackupError {
  const what =
    ref.type === 'volume'
      ? `volume named "${ref.volume}"`
      : ref.type === 'files'
        ? `folder "${ref.path}" in the service ${ref.service}`
        : `${ref.engine ?? ''} database ${ref.database ?? ''} in the service ${ref.service}`
            .replaceAll(/ +/g, ' ')
            .trim();
  return new BackupError('source_missing', `There is no ${what}`, 'Add and deploy it again, or leave it out.');
}

/** Turns errors of archives, engines and disks into errors of the backup. */
async function asBackupErrors<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof ArchiveError)
      throw new BackupError('bad_archive', sentence(error.message), 'Choose another backup.', { cause: error });
    if (error instanceof EngineAwayError)
      throw new BackupError('engine_away', sentence(error.message), 'Check the server, then try again.', {
        cause: error,
      });
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC')
      throw new BackupError('disk_full', 'The disk of Mooring is full', 'A backup needs room for one copy.', {
        cause: error,
      });
    throw error;
  }
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
