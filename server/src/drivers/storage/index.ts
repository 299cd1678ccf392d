import { local } from './local/local.ts';
import type { StorageKind } from './storage.ts';

/** Every kind of target that people can choose, in the order in which they are offered. */
export const storageKinds: StorageKind[] = [local];

export const storageKind = (name: string): StorageKind | undefined => storageKinds.find(({ kind }) => kind === name);
