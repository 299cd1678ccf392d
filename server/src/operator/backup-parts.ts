import { existsSync } from 'node:fs';
import { lstat, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { instanceKeys } from '../instance-keys.ts';
import { environmentFile } from './environment-file.ts';
import type { ArchiveSource } from './write-archive.ts';

/** Folders of the data folder that a new machine needs. The others are caches, logs and the state of processes. */
const folders = ['uploads', 'releases', 'contents', 'binds', 'known-hosts', 'projects', 'servers', 'volumes'];

/** Caches in the folder of a server. */
const caches = /^[^/]+\/(homes|packages|tmp)$/;

/** `<project>/<environment>/<volume>`. Marks begin with a dot and are kept: they say where the data is. */
const volumes = /^[^/]+\/[^/]+\/[^/.][^/]*$/;

/** Returns the folders and files of the backup besides the database. `folder` receives copies. */
export async function backupSources(
  config: Config,
  folder: string,
  { withVolumes }: { withVolumes: boolean },
): Promise<ArchiveSource[]> {
  const { dataDir } = config;
  // Keys may come from the environment, which a new machine does not have.
  const keys = instanceKeys(config).keys();
  const keyFile = join(folder, 'secret.key');
  await writeFile(keyFile, keys.map(({ bytes }) => `${bytes.toString('base64')}\n`).join(''), { mode: 0o600 });
  const files: ArchiveSource[] = [
    { path: keyFile, inArchive: 'data/secret.key', isFolder: false },
    { path: join(dataDir, 'replica.id'), inArchive: 'data/replica.id', isFolder: false },
    { path: environmentFile, inArchive: 'settings/mooring.env', isFolder: false },
  ];
  return [
    ...files.filter(({ path }) => existsSync(path) && (path !== environmentFile || process.getuid?.() === 0)),
    ...folders.map((name): ArchiveSource => {
      const leftOut = name === 'servers' ? caches : name === 'volumes' && !withVolumes ? volumes : undefined;
      return { path: join(dataDir, name), inArchive: `data/${name}`, isFolder: true, leftOut };
    }),
  ];
}

/** Counts the bytes of a source, so that a restore can check the free space. Files may change until they are read. */
export async function sourceBytes(
  { path, leftOut }: Pick<ArchiveSource, 'path' | 'leftOut'>,
  inside = '',
): Promise<number> {
  const stat = await lstat(join(path, inside)).catch(() => undefined);
  if (!stat?.isDirectory()) return stat?.isFile() ? stat.size : 0;
  let bytes = 0;
  for (const name of await readdir(join(path, inside)).catch((): string[] => [])) {
    const inner = inside ? `${inside}/${name}` : name;
    if (!leftOut?.test(inner)) bytes += await sourceBytes({ path, leftOut }, inner);
  }
  return bytes;
}
