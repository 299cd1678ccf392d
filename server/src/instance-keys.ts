import { join } from 'node:path';
import type { Config } from './config.ts';
import { givenKeys, type KeyRing, keyFile } from './lib/key-ring.ts';

/** The instance's keys: given in the environment, or in an owner-only file that is made at the first start. */
export function instanceKeys({ secretKey, previousSecretKey, dataDir }: Config): KeyRing {
  if (!secretKey) return keyFile(join(dataDir, 'secret.key'));
  const previous: Record<string, string> = previousSecretKey ? { MOORING_SECRET_KEY_PREVIOUS: previousSecretKey } : {};
  return givenKeys({ MOORING_SECRET_KEY: secretKey, ...previous });
}
