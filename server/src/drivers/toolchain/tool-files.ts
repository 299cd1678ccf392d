import { createReadStream, existsSync } from 'node:fs';
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { archiveLimits, extractArchive } from '../../lib/archive/archive.ts';
import { removeTree } from '../../lib/remove-tree.ts';
import type { NpmRegistry, PublishedPackage } from './npm-registry.ts';
import { type ToolName, unlistedPrograms } from './tools.ts';

/** Downloads a version into the folder `package` of a draft. */
export async function unpackPublished(
  registry: NpmRegistry,
  published: PublishedPackage,
  draft: string,
  signal: AbortSignal,
): Promise<void> {
  const [archive, unpacked] = [join(draft, 'archive'), join(draft, 'unpacked')];
  await registry.download(published, archive, signal);
  // Headers compress well.
  await extractArchive(createReadStream(archive), unpacked, { ...archiveLimits, ratio: 2000 });
  const [top] = await readdir(unpacked);
  await rename(join(unpacked, top!), join(draft, 'package'));
  await removeTree(unpacked);
  await rm(archive);
}

/** Links the programs that the package lists in `bin`. */
export async function linkPrograms(name: ToolName, draft: string): Promise<void> {
  const bin = join(draft, 'bin');
  if (existsSync(bin)) return;
  const { bin: listed } = JSON.parse(await readFile(join(draft, 'package/package.json'), 'utf8')) as { bin?: unknown };
  const programs = unlistedPrograms[name] ?? (typeof listed === 'string' ? { [name]: listed } : listed);
  await mkdir(bin);
  for (const [program, path] of Object.entries((programs ?? {}) as Record<string, string>)) {
    const inside = posix.normalize(path);
    if (!/^[\w.-]+$/.test(program) || inside.startsWith('..') || inside.startsWith('/')) continue;
    const file = await open(join(draft, 'package', inside), 'r');
    try {
      await file.chmod(0o755);
      // The rename must not become durable before the program is.
      await file.sync();
    } finally {
      await file.close();
    }
    await symlink(join('../package', inside), join(bin, program));
  }
}

/** Whatever the umask of the service is: users of projects read it, and nobody else writes. */
export async function makeReadableByAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await makeReadableByAll(path);
    else if (entry.isFile()) await chmod(path, (await stat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
}
