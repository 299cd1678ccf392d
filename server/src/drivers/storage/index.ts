import { local } from './local/local.ts';
import { platformServer } from './platform-server.ts';
import { s3Compatible } from './s3/s3.ts';
import { sftp } from './sftp/sftp.ts';
import type { StorageKind } from './storage.ts';

/** Every kind of destination, in the order in which they are offered. */
export const storageKinds: StorageKind[] = [s3Compatible, sftp, platformServer, local];

export const storageKind = (name: string): StorageKind | undefined => storageKinds.find(({ kind }) => kind === name);
