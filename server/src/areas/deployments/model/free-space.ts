import { statfs } from 'node:fs/promises';

/** With less free space than this, the database cannot write either. */
const nothingLeft = 8_000_000;

export type DiskSpace = { freeBytes: number; totalBytes: number };

/** Returns the disk space of a folder's file system, as available to users other than root. */
export async function diskOf(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
}

export const hasNoSpaceLeft = ({ freeBytes }: Pick<DiskSpace, 'freeBytes'>): boolean => freeBytes <= nothingLeft;

export const inMegabytesText = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`;

export const freeText = ({ freeBytes, totalBytes }: DiskSpace): string =>
  `${inMegabytesText(freeBytes)} of ${inMegabytesText(totalBytes)} free`;
