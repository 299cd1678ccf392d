import { StorageError } from './storage.ts';

/** A part of an object. One that starts after the end is empty. */
export interface ByteRange {
  from: number;
  to?: number;
}

/** Rejects an invalid range. */
export function checkRange(range: ByteRange | undefined): void {
  if (!range) return;
  const { from, to = from } = range;
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 0 || to < from)
    throw new StorageError('misconfigured', `${from}-${range.to ?? ''} is not a valid byte range`);
}
