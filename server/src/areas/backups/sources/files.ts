import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ArchiveEntry } from '../../../lib/archive/reader.ts';
import { writeTar } from '../../../lib/archive/writer.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import type { ProjectData } from '../../deployments/port.ts';
import { shortHashOf } from './object-key-parts.ts';
import {
  BackupError,
  type Consistency,
  type PackContent,
  type RestoreOutcome,
  type RestoreTarget,
  type SourceCall,
  type SourceRef,
} from './source.ts';
import { addVolume } from './volumes/engine-content.ts';
import { extractInto } from './volumes/extract.ts';
import { checkedEntries, counted } from './volumes/paths.ts';
import { packUnchanged } from './volumes/read.ts';
import { entriesIn, scratchFolder } from './volumes/restore.ts';

type Ref = SourceRef & { type: 'files' };

/** Packs a folder of a container, outside its volumes. */
export async function packContainerFolder(
  data: ProjectData,
  ref: Ref,
  { say }: SourceCall & { consistency: Consistency },
  pack: PackContent,
): Promise<void> {
  const { container, path } = placeOf(data, ref);
  const containers = data.parts.containers!.services.data;
  const filling = {
    isQuiet: false,
    // Nothing is known about who writes to it.
    copySqlite: async () => {
      throw new BackupError('database_in_files', `${path} contains a SQLite database`, 'Keep it in a volume instead.');
    },
    say,
  };
  await packUnchanged(`${path} of ${ref.service}`, filling, pack, (content) =>
    addVolume(() => containers.readFiles(container, path), content, filling),
  );
}

export async function restoreContainerFolder(
  data: ProjectData,
  ref: Ref,
  entries: AsyncIterable<ArchiveEntry>,
  target: RestoreTarget,
  { jobId, folder }: SourceCall,
): Promise<RestoreOutcome> {
  const sum = { files: 0, bytes: 0 };
  const content = counted(checkedEntries(entries), sum);
  const proof = () => ({
    query: 'files and bytes',
    result: `${sum.files} ${sum.files === 1 ? 'file' : 'files'}, ${sum.bytes} bytes`,
  });
  if (target.to === 'scratch') {
    const place = join(scratchFolder(data, jobId), shortHashOf(ref.service, ref.path));
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    await removeTree(place);
    await extractInto(place, content);
    return { place: `the folder ${place}`, proof: proof() };
  }
  if (target.to === 'new')
    throw new BackupError(
      'not_possible',
      'Files of a container cannot be restored elsewhere',
      'Choose in-place or scratch.',
    );
  const { container, path } = placeOf(data, ref);
  const tar = join(folder, 'restore.tar');
  await pipeline(Readable.from(writeTar(content), { objectMode: false }), createWriteStream(tar, { mode: 0o600 }));

  const below = async function* () {
    for await (const entry of entriesIn(tar)) {
      const inside = (each: string) => (each === '.' ? basename(path) : `${basename(path)}/${each}`);
      yield { ...entry, path: inside(entry.path), ...(entry.type === 'hardlink' && { target: inside(entry.target) }) };
    }
  };
  await data.parts.containers!.services.data.writeFiles(container, posix.dirname(path), below());
  return { place: `${path} of the service ${ref.service}`, proof: proof() };
}

function placeOf(data: ProjectData, { service: name, path }: Ref) {
  const service = data.services.find((each) => each.name === name);
  if (!service) throw new BackupError('source_missing', `There is no service ${name}`, 'Remove it from the policy.');
  if (service.image === null)
    throw new BackupError('not_possible', `${name} runs as a process`, 'Keep its data in a volume, and back that up.');
  const names = path.split('/').filter((each) => each !== '' && each !== '.');
  if (!names.length || names.includes('..') || path.includes('\0'))
    throw new BackupError('bad_path', 'The path must name a folder of the container', 'Change it.');
  return { container: { deploymentId: service.deploymentId, service: name }, path: `/${names.join('/')}` };
}
