import { readdirSync } from 'node:fs';
import { startSshd, type Sshd } from '../../../../test/rig/sshd.ts';
import { newSshKey } from '../../../../test/rig/ssh-key.ts';
import { isTemporary, keyName } from '../keys.ts';
import type { StorageValues } from '../storage.ts';

/** A server with SFTP, and its credentials. */
export type SftpMachine = { sshd: Sshd; values: StorageValues };

export async function startSftpMachine(options: Parameters<typeof startSshd>[0] = {}): Promise<SftpMachine> {
  const sshd = await startSshd(options);
  const { privateKey, publicKey } = newSshKey();
  sshd.allow(publicKey);
  return {
    sshd,
    values: { sshHost: '127.0.0.1', sshPort: sshd.port, sshUser: sshd.user, sftpPrivateKey: privateKey },
  };
}

/** Temporary files anywhere below the folder. */
export const partsIn = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[]).filter((path) => isTemporary(keyName(path)));
