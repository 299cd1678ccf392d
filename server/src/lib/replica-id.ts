import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from './ids.ts';

/** A name for the service of this data folder that stays the same after a restart. */
export function replicaId(dataDir: string): string {
  const file = join(dataDir, 'replica.id');
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (known) return known;
  const id = newId('rep');
  writeFileSync(file, `${id}\n`, { mode: 0o600 });
  return id;
}
