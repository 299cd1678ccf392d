import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../records/replace-file.ts';
import type { OwnContainer } from './own-containers.ts';

/** What the engine forgets when a container starts again, and a person should know. Beside the logs. */
export interface Notes {
  timesOutOfMemory: number;
  /** It tried to write where it may not. */
  refusedWrites: boolean;
}

const nothing: Notes = { timesOutOfMemory: 0, refusedWrites: false };
const file = (folder: string) => join(folder, 'notes.json');

export const readNotes = (folder: string): Notes =>
  existsSync(file(folder)) ? (JSON.parse(readFileSync(file(folder), 'utf8')) as Notes) : nothing;

export const writeNotes = (folder: string, notes: Notes): void => replaceFile(file(folder), JSON.stringify(notes));

const isRefusedWrite = /\bEROFS\b|read-only file system/i;

/** Whether this line of the app tells that it could not write. */
export const tellsOfRefusedWrite = (line: string): boolean => isRefusedWrite.test(line);

/** In sentences. */
export function noticesOf(folder: string, { info: { State, HostConfig } }: OwnContainer): string[] {
  const { timesOutOfMemory, refusedWrites } = readNotes(folder);
  const times = Math.max(timesOutOfMemory, State.OOMKilled ? 1 : 0);
  const limit = HostConfig.Memory ? `; its limit is ${Math.round(HostConfig.Memory / 1024 / 1024)} MB` : '';
  return [
    ...(times ? [`It ran out of memory ${times === 1 ? 'once' : `${times} times`}${limit}.`] : []),
    ...(refusedWrites
      ? ['It tried to write to its file system, which is read-only but for /tmp, /var/tmp, /run and volumes.']
      : []),
    ...(State.Error ? [`The engine says: ${State.Error}`] : []),
  ];
}
