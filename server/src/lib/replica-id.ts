import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from './ids.ts';

/** Returns the stable id of this data folder's service. */
export function replicaId(dataDir: string): string {
  const file = join(dataDir, 'replica.id');
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (known) return known;
  const id = newId('rep');
  writeFileSync(file, `${id}\n`, { mode: 0o600 });
  return id;
}
