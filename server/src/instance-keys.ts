import { join } from 'node:path';
import type { Config } from './config.ts';
import { environmentKeyRing, type KeyRing, fileKeyRing } from './lib/key-ring.ts';

/** Returns the instance's keys from the environment, or from an owner-only file created at the first start. */
export function instanceKeys({ secretKey, previousSecretKey, dataDir }: Config): KeyRing {
  if (!secretKey) return fileKeyRing(join(dataDir, 'secret.key'));
  const previous: Record<string, string> = previousSecretKey ? { MOORING_SECRET_KEY_PREVIOUS: previousSecretKey } : {};
  return environmentKeyRing({ MOORING_SECRET_KEY: secretKey, ...previous });
}
