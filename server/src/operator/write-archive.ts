import { Packing } from '../lib/archive/packing.ts';
import { type Manifest, manifestName, backupPartOf, type Sums, sumsName } from './manifest.ts';

/** A file or a folder of the backup. A missing folder is left out. */
export type ArchiveSource = {
  path: string;
  inArchive: string;
  isFolder: boolean;
  /** Paths inside the folder that are left out. */
  leftOut?: RegExp | undefined;
};

type Written = {
  manifest: Manifest;
  sources: ArchiveSource[];
  recipient: Buffer;
  onSkipped: (path: string, why: string) => void;
};

/** Writes `tar | zstd | age` to a new file in flat memory, and flushes it to the disk. Returns the sums of its parts. */
export async function writeArchive(file: string, { manifest, sources, recipient, onSkipped }: Written): Promise<Sums> {
  let sums: Sums = { parts: [] };
  await Packing.write(file, { recipients: [recipient], isNew: true }, async (packing) => {
    await packing.text(manifestName, `${JSON.stringify(manifest, null, 2)}\n`);
    for (const { path, inArchive, isFolder, leftOut } of sources) {
      const part = backupPartOf(inArchive);
      if (!isFolder) await packing.file({ file: path, entry: { path: inArchive } }, part);
      else {
        const { skipped } = await packing.folder(
          { folder: path, prefix: inArchive, leftOut, skipsUnreadable: true },
          part,
        );
        for (const each of skipped) onSkipped(`${path}/${each.path}`, each.why);
      }
    }
    sums = { parts: await packing.sums() };
    await packing.text(sumsName, `${JSON.stringify(sums, null, 2)}\n`);
  });
  return sums;
}
