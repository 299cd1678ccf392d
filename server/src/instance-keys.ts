import { join } from 'node:path';
import type { Config } from './config.ts';
import { givenKeys, KeyError, type KeyRing, keyFile } from './lib/key-ring.ts';

/** The instance's keys: given in the environment, or in an owner-only file that is made at the first start. */
export function instanceKeys({ secretKey, previousSecretKey, dataDir }: Config): KeyRing {
  if (!secretKey) return keyFile(join(dataDir, 'secret.key'));
  try {
    return givenKeys(previousSecretKey ? [secretKey, previousSecretKey] : [secretKey]);
  } catch (error) {
    throw error instanceof KeyError ? new KeyError(`MOORING_SECRET_KEY: ${error.message}`) : error;
  }
}
