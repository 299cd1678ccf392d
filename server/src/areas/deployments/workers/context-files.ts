import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import type { Db } from '../../../db/database.ts';
import { openContext } from '../../../drivers/images/context/context.ts';
import { BuildRefusedError } from '../../../drivers/images/errors.ts';
import type { BuildRequest } from '../../../drivers/images/images.ts';
import { newId } from '../../../lib/ids.ts';
import { readTar } from '../../../lib/archive/reader.ts';
import { writeTar, type WrittenEntry } from '../../../lib/archive/writer.ts';
import { inPieces } from '../../../lib/archive/pieces.ts';

/** A deployment, with the fence of the lease under which a replica holds it. */
export type HeldDeployment = { id: string; fence: number };

/** Returns an id for the files of a build. With the fence and the service in it, leftovers can be attributed even if
 * the build is never added. */
export const newContextId = ({ fence }: HeldDeployment, service: string): string =>
  [newId('ctx'), fence, service].join('/');

export const isContextOf = (contextId: string, { fence }: HeldDeployment, service: string): boolean => {
  const [, of = '', ...name] = contextId.split('/');
  return Number(of) <= fence && name.join('/') === service;
};

type Place = { contextId: string; deploymentId: string };

/** They are in the database meanwhile. */
const mostBytes = 2e9;

/** Stores the files of a build, without ignored ones, where workers can read them. Returns the size. */
export async function storeContext(
  db: Db,
  place: Place,
  request: Pick<BuildRequest, 'context' | 'dockerfile' | 'ignore' | 'ownIgnore'>,
  signal: AbortSignal,
): Promise<number> {
  const tar = Readable.from(writeTar(entriesOf(request)), { objectMode: false });
  const packed = pipeline(tar, createGzip({ level: 1 }), () => {});
  let [number, size] = [0, 0];
  for await (const bytes of inPieces(packed)) {
    signal.throwIfAborted();
    size += bytes.length;
    if (size > mostBytes)
      throw new BuildRefusedError(
        `the files of the build have more than ${mostBytes / 1e9} GB, packed; name those that it does not need in .dockerignore`,
      );
    await db
      .insertInto('build_chunks')
      .values({ ...place, number: number++, bytes })
      .execute();
  }
  return size;
}

async function* entriesOf(
  request: Pick<BuildRequest, 'context' | 'dockerfile' | 'ignore' | 'ownIgnore'>,
): AsyncGenerator<WrittenEntry> {
  const context = await openContext(request.context, request);
  for await (const entry of context.entries()) {
    const { path, type, mode, size, target, modifiedNs } = entry;
    const facts = { path, type, mode, size, target, modifiedMs: Number(modifiedNs / 1_000_000n) };
    yield { ...facts, content: () => context.content(entry) };
  }
}

/** Writes the files of a build into an empty folder. */
export async function loadContext(db: Db, contextId: string, folder: string, signal: AbortSignal): Promise<void> {
  const packed = Readable.from(chunksOf(db, contextId, signal), { objectMode: false });
  const tar = pipeline(packed, createGunzip(), () => {});
  const links: { place: string; target: string }[] = [];
  const folders: { place: string; mode: number }[] = [];
  for await (const entry of readTar(tar)) {
    const { path, type, mode, target } = entry;
    const place = join(folder, path);
    if (/^\.\.(\/|$)/.test(normalize(path))) throw new Error('the files of the build are damaged');
    await mkdir(type === 'folder' ? place : dirname(place), { recursive: true });
    if (type === 'folder') folders.push({ place, mode });
    else if (type === 'symlink') links.push({ place, target });
    else {
      await writeFile(place, entry.body(), { flag: 'wx' });
      await chmod(place, mode);
    }
  }
  // Links come last, so that nothing is written through one; folders may be read-only.
  for (const { place, target } of links) await symlink(target, place);
  for (const { place, mode } of folders.toReversed()) await chmod(place, mode);
}

async function* chunksOf(db: Db, contextId: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (let number = 0; ; number++) {
    signal.throwIfAborted();
    const chunk = await db
      .selectFrom('build_chunks')
      .select('bytes')
      .where('contextId', '=', contextId)
      .where('number', '=', number)
      .executeTakeFirst();
    if (!chunk) return;
    yield chunk.bytes;
  }
}
