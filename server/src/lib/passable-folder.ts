import { chmod, mkdir } from 'node:fs/promises';

/** Creates a folder that project users can pass through but not list. Sets the mode explicitly, because a strict
 * umask or an earlier version may have closed the folder to them. */
export async function passableFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, 0o711);
}
