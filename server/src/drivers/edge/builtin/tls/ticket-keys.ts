import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../state.ts';

/** As Node wants them: a name, and keys to sign and to encrypt with. */
const keyBytes = 48;
/** Whoever gets hold of the keys reads no more than what was said with them. */
export const ticketDayMs = 24 * 3_600_000;

/** The keys by which a client goes on with an earlier session. On disk, so that it can after a restart or a new version. */
export async function ticketKeys(folder: string): Promise<Buffer> {
  const file = join(folder, '.ticket-keys');
  const kept = read(file);
  if (kept) return kept;
  const keys = randomBytes(keyBytes);
  await writeWhole(file, join(folder, '.ticket-draft'), keys.toString('base64'));
  return keys;
}

function read(file: string): Buffer | null {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat || Date.now() - stat.mtimeMs > ticketDayMs) return null;
  const keys = Buffer.from(readFileSync(file, 'utf8'), 'base64');
  return keys.length === keyBytes ? keys : null;
}
