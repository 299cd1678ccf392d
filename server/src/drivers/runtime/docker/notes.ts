import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WriterLog } from '../records/log-writer.ts';
import { replaceFileSingleWriter } from '../records/replace-file.ts';
import { missingInit } from './release/init-process.ts';
import { noInitLabel } from './labels.ts';
import type { OwnContainer } from './own-containers.ts';

/** Facts that the engine forgets when a container restarts. Stored beside the logs. */
interface Notes {
  timesOutOfMemory: number;
  /** The app tried to write to a read-only file system. */
  refusedWrites: boolean;
}

const nothing: Notes = { timesOutOfMemory: 0, refusedWrites: false };
/** The last pattern is Node's error for a recursive mkdir on it. */
const isRefusedWrite =
  /\bEROFS\b|read-only file ?system|readonly database|unable to open database file|ENOENT: no such file or directory, mkdir/i;
const file = (folder: string) => join(folder, 'notes.json');

const readNotes = (folder: string): Notes =>
  existsSync(file(folder)) ? (JSON.parse(readFileSync(file(folder), 'utf8')) as Notes) : nothing;

/** Updates the notes while output is recorded. */
export class ContainerNotes {
  readonly #folder: string;
  readonly #report: WriterLog;
  #knowsRefusedWrites = false;

  constructor(folder: string, report: WriterLog) {
    [this.#folder, this.#report] = [folder, report];
  }

  outOfMemory(): void {
    this.#note((notes) => ({ ...notes, timesOutOfMemory: notes.timesOutOfMemory + 1 }));
  }

  /** Scans a line of the app for refused writes. */
  read(line: string): void {
    if (this.#knowsRefusedWrites || !isRefusedWrite.test(line)) return;
    this.#knowsRefusedWrites = true;
    this.#note((notes) => ({ ...notes, refusedWrites: true }));
  }

  #note(change: (notes: Notes) => Notes): void {
    try {
      replaceFileSingleWriter(file(this.#folder), JSON.stringify(change(readNotes(this.#folder))));
    } catch (error) {
      // Recording continues: a full disk is temporary.
      this.#report('the note of an app cannot be written', error);
    }
  }
}

/** Returns notices about a container for the user. */
export function containerNotices(folder: string, { info: { State, HostConfig, Config } }: OwnContainer): string[] {
  const { timesOutOfMemory, refusedWrites } = readNotes(folder);
  // The note may stem from an earlier container of the same release.
  const wasRefused = refusedWrites && HostConfig.ReadonlyRootfs;
  const times = Math.max(timesOutOfMemory, State.OOMKilled ? 1 : 0);
  const limit = HostConfig.Memory ? `; its limit is ${Math.round(HostConfig.Memory / 1024 / 1024)} MB` : '';
  return [
    ...(times ? [`It ran out of memory ${times === 1 ? 'once' : `${times} times`}${limit}.`] : []),
    ...(wasRefused
      ? ['It tried to write to its file system, which is read-only except /tmp, /var/tmp, /run and volumes.']
      : []),
    ...(Config.Labels?.[noInitLabel] ? [missingInit] : []),
    ...(State.Error ? [`Docker reports: ${State.Error}`] : []),
  ];
}
