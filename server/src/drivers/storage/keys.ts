import { randomBytes } from 'node:crypto';
import { StorageError } from './storage.ts';

// Limits that fit every kind of destination: S3 allows 1024 bytes, file systems 255 for each part of a path.
const mostKeyBytes = 1024;
const mostPartBytes = 255;
/** Prefix of all our temporary names. */
export const temporaryNamePrefix = '.mooring-';
// Control characters, and lone surrogates, which cannot be encoded as UTF-8.
// oxlint-disable-next-line no-control-regex
const unwritable = /[\u0000-\u001f\u007f]|\p{Surrogate}/u;
const temporary = /^\.mooring-[0-9a-f]{24}\.(part|upload)$/;
const probe = /^\.mooring-probe-[0-9a-f]{16}$/;

/** Returns why a path is invalid; undefined if it is valid. */
export function complaintOfPath(path: string): string | undefined {
  if (unwritable.test(path)) return 'contains a character that is not allowed';
  if (Buffer.byteLength(path) > mostKeyBytes) return `is longer than ${mostKeyBytes} bytes`;
  const parts = path.split('/');
  if (parts.some((part) => part === '.' || part === '..')) return 'leads to another folder with "." or ".."';
  if (parts.some((part) => !part)) return 'has an empty part between slashes';
  if (parts.some((part) => Buffer.byteLength(part) > mostPartBytes))
    return `has a part that is longer than ${mostPartBytes} bytes`;
  return parts.some(isTemporary) ? 'is reserved for uploads in progress' : undefined;
}

/** Rejects an invalid key. */
export function checkObjectKey(key: string): void {
  const complaint = complaintOfPath(key);
  if (complaint) throw new StorageError('misconfigured', `the key ${JSON.stringify(key.slice(0, 100))} ${complaint}`);
}

/** A prefix may end anywhere, also in a slash or in the middle of a name. */
export function checkListPrefix(prefix: string): void {
  const folder = keyFolder(prefix);
  if (folder) checkObjectKey(folder);
  if (unwritable.test(prefix)) checkObjectKey(prefix);
}

/** The part before the last slash. */
export const keyFolder = (key: string): string => key.slice(0, Math.max(0, key.lastIndexOf('/')));

/** The part after the last slash. */
export const keyName = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

/** Returns a temporary name for an incomplete object or a note about it, by the first 24 of the hexadecimal digits.
 * Short, so that it fits wherever the object's name does. */
export const temporaryName = (what: 'part' | 'upload' = 'part', digits = randomBytes(12).toString('hex')): string =>
  `${temporaryNamePrefix}${digits.slice(0, 24)}.${what}`;

export const isTemporary = (name: string): boolean => temporary.test(name);

/** Name of the object that a connection test writes. */
export const probeName = (): string => `${temporaryNamePrefix}probe-${randomBytes(8).toString('hex')}`;

/** Whether it can be removed once it is old: no backup ever has such a name. */
export const isLeftover = (name: string): boolean => isTemporary(name) || probe.test(name);

/** Sorts the entries of a folder in key order; a folder counts with its slash. */
export const inKeyOrder = <T extends { name: string; isFolder: boolean }>(entries: T[]): T[] => {
  const sortable = entries.map((entry) => ({ entry, as: Buffer.from(entry.isFolder ? `${entry.name}/` : entry.name) }));
  return sortable.sort((a, b) => Buffer.compare(a.as, b.as)).map(({ entry }) => entry);
};
