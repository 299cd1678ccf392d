import { execFileSync } from 'node:child_process';
import { newFolder } from './children.ts';

/** A folder on a separate disk of that size. Requires a root user who may mount (`has('docker')`). */
export function mountSmallDisk(bytes: number): { folder: string; unmount: () => void } {
  const folder = newFolder('disk');
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
  return { folder, unmount: () => void execFileSync('umount', ['--lazy', folder]) };
}
