import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../errors.ts';
import { type AgeIdentity, newIdentityFile, parseIdentity } from '../lib/archive/age-keys.ts';
import { replaceFile } from '../lib/replace-file.ts';

export const backupKeyFile = (dataDir: string): string => join(dataDir, 'backup.key');

/** Returns the key that instance backups are encrypted with; creates it at the first use. */
export function ensureBackupKey(dataDir: string): { identity: AgeIdentity; isNew: boolean } {
  const file = backupKeyFile(dataDir);
  const isNew = !existsSync(file);
  if (isNew) replaceFile(file, newIdentityFile());
  return { identity: readBackupKey(file), isNew };
}

export function readBackupKey(file: string): AgeIdentity {
  if (!existsSync(file)) throw new StartError(`there is no backup key at ${file}`);
  return parseIdentity(readFileSync(file, 'utf8'), file);
}
