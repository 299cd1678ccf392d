import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WriterLog } from '../records/log-writer.ts';
import { replaceFile } from '../records/replace-file.ts';
import { missingInit } from './release/init-process.ts';
import { noInitLabel } from './labels.ts';
import type { OwnContainer } from './own-containers.ts';

/** What the engine forgets when a container starts again, and a person should know. Beside the logs. */
interface Notes {
  timesOutOfMemory: number;
  /** It tried to write where it may not. */
  refusedWrites: boolean;
}

const nothing: Notes = { timesOutOfMemory: 0, refusedWrites: false };
/** The last is what Node makes of it when it makes folders on the way to one. */
const isRefusedWrite =
  /\bEROFS\b|read-only file ?system|readonly database|unable to open database file|ENOENT: no such file or directory, mkdir/i;
const file = (folder: string) => join(folder, 'notes.json');

const readNotes = (folder: string): Notes =>
  existsSync(file(folder)) ? (JSON.parse(readFileSync(file(folder), 'utf8')) as Notes) : nothing;

/** Writes notes down while output is recorded. */
export class NoteTaker {
  readonly #folder: string;
  readonly #report: WriterLog;
  #knowsRefusedWrites = false;

  constructor(folder: string, report: WriterLog) {
    [this.#folder, this.#report] = [folder, report];
  }

  outOfMemory(): void {
    this.#note((notes) => ({ ...notes, timesOutOfMemory: notes.timesOutOfMemory + 1 }));
  }

  /** Looks at a line of the app for what a person should know. */
  read(line: string): void {
    if (this.#knowsRefusedWrites || !isRefusedWrite.test(line)) return;
    this.#knowsRefusedWrites = true;
    this.#note((notes) => ({ ...notes, refusedWrites: true }));
  }

  #note(change: (notes: Notes) => Notes): void {
    try {
      replaceFile(file(this.#folder), JSON.stringify(change(readNotes(this.#folder))));
    } catch (error) {
      // The recording goes on: a full disk is over some time.
      this.#report('a note on an app cannot be written', error);
    }
  }
}

/** Sentences about a container that a person should know. */
export function containerNotices(folder: string, { info: { State, HostConfig, Config } }: OwnContainer): string[] {
  const { timesOutOfMemory, refusedWrites } = readNotes(folder);
  // An earlier container of the same release may have complained.
  const wasRefused = refusedWrites && HostConfig.ReadonlyRootfs;
  const times = Math.max(timesOutOfMemory, State.OOMKilled ? 1 : 0);
  const limit = HostConfig.Memory ? `; its limit is ${Math.round(HostConfig.Memory / 1024 / 1024)} MB` : '';
  return [
    ...(times ? [`It ran out of memory ${times === 1 ? 'once' : `${times} times`}${limit}.`] : []),
    ...(wasRefused
      ? ['It tried to write to its file system, which is read-only except /tmp, /var/tmp, /run and volumes.']
      : []),
    ...(Config.Labels?.[noInitLabel] ? [missingInit] : []),
    ...(State.Error ? [`The engine says: ${State.Error}`] : []),
  ];
}
