import { localStorageKind } from './local/local.ts';
import { platformServerKind } from './platform-server.ts';
import { s3StorageKind } from './s3/s3.ts';
import { sftpStorageKind } from './sftp/sftp.ts';
import type { StorageKind } from './storage.ts';

/** Every kind of destination, in the order in which they are offered. */
export const storageKinds: StorageKind[] = [s3StorageKind, sftpStorageKind, platformServerKind, localStorageKind];

export const storageKind = (name: string): StorageKind | undefined => storageKinds.find(({ kind }) => kind === name);
