import { chmod, mkdir } from 'node:fs/promises';

/** Makes a folder that the users of projects can pass through but not list. The mode is set explicitly, because a strict
 * umask or an earlier version may have closed the folder to them. */
export async function passableFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, 0o711);
}
