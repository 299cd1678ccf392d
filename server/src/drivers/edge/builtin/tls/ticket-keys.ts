import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../state.ts';

/** Node's format: a name, a signing key and an encryption key. */
const keyBytes = 48;
/** Limits how much traffic leaked keys can decrypt. */
export const ticketDayMs = 24 * 3_600_000;

/** Returns the session ticket keys. Stored on disk, so that clients can resume after a restart or an update, and in
 * every process of the edge. Only one of them, which `renews`, replaces old keys. */
export async function ticketKeys(folder: string, renews: boolean): Promise<Buffer> {
  const file = join(folder, '.ticket-keys');
  const kept = read(file, renews ? ticketDayMs : Infinity);
  if (kept) return kept;
  const keys = randomBytes(keyBytes);
  try {
    await writeWhole(file, join(folder, '.ticket-draft'), keys.toString('base64'));
  } catch {
    // On a full disk, old or unsaved keys are better than no HTTPS. The next renewal tries again.
    return read(file, Infinity) ?? keys;
  }
  return keys;
}

function read(file: string, mostMs: number): Buffer | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat || Date.now() - stat.mtimeMs > mostMs) return null;
  const keys = Buffer.from(readFileSync(file, 'utf8'), 'base64');
  return keys.length === keyBytes ? keys : null;
}
