import { mkdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ProjectData } from '../../deployments/port.ts';
import { shortHashOf } from './object-key-parts.ts';
import { BackupError } from './source.ts';

/** Claims the name of something that a restore creates. After a crash, the same job may replace what it has created;
 * what others created is never touched. */
export async function claimName(
  { parts }: ProjectData,
  { jobId, what, name, isTaken }: { jobId: string; what: string; name: string; isTaken: boolean },
): Promise<void> {
  const mark = join(parts.folders.dataDir, 'restored', shortHashOf(jobId, what, name));
  if (existsSync(mark)) return;
  if (isTaken) throw new BackupError('name_taken', `The ${what} ${name} already exists`, 'Choose another name.');
  await mkdir(dirname(mark), { recursive: true, mode: 0o700 });
  await writeFile(mark, '');
}
