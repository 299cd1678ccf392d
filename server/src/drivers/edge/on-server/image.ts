import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';
import type { WrittenEntry } from '../../../lib/archive/writer.ts';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { EngineError, goneOrGoing, undefinedIfGone, throwStreamError } from '../../runtime/docker/engine/errors.ts';
import { roleLabel } from '../../runtime/docker/labels.ts';
import { filesNeededBy } from './elf.ts';
import { copiedFileEntry, folderEntry, packEntries, textEntry } from './entries.ts';

/** Image of the edge's container. */
export interface EdgeImage {
  /** With its tag. */
  name: string;
  /** Path of Node in the image. */
  node: string;
  /** Architecture of the server, for an image that is pulled there. */
  processor?: string;
}

type Say = (what: string) => void;

const repository = 'mooring-edge';
const ownNode = '/mooring/node';
const pulled: EdgeImage = { name: 'node:24-slim', node: '/usr/local/bin/node' };
/** Docker's names for the architectures that Node runs on. */
const processors: Partial<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const shipMs = 600_000;
/** Of Node, by gzip. */
const packedShare = 0.4;

/** Returns the image with Node for that server: our own if it has the architecture of this machine, otherwise
 * Docker's. */
export async function chooseImage(engine: EngineClient, execPath: string): Promise<EdgeImage> {
  const { Arch, Os } = await engine.json<{ Arch: string; Os: string }>({ method: 'GET', path: '/version' });
  const isAlike = process.platform === 'linux' && Os === 'linux' && Arch === processors[process.arch];
  return isAlike
    ? { name: `${repository}:${await nodeFingerprint(execPath)}`, node: ownNode }
    : { ...pulled, processor: Arch };
}

/** Ensures that the engine has the image. */
export async function provideEdgeImage(
  engine: EngineClient,
  image: EdgeImage,
  execPath: string,
  { onTransfer, say }: { onTransfer: Say; say: Say },
): Promise<void> {
  if (await undefinedIfGone(engine.json({ method: 'GET', path: `/images/${image.name}/json` }))) return;
  if (image.processor) {
    onTransfer(`Pulling ${image.name} for the edge on the server (first time only)`);
    return pull(engine, image);
  }
  const megabytes = Math.round((bytesOf(execPath) * packedShare) / 1e6);
  onTransfer(`Sending the edge to the server (about ${megabytes} MB, first time only)`);
  await ship(engine, image, execPath, say);
}

/** Removes images of earlier Node versions. The engine keeps those in use. */
export async function removeOtherImages(engine: EngineClient, { name }: EdgeImage): Promise<void> {
  const query = { filters: { reference: [repository] } };
  const all = await engine.json<{ RepoTags: string[] | null }[]>({ method: 'GET', path: '/images/json', query });
  for (const tag of all.flatMap(({ RepoTags }) => RepoTags ?? []))
    if (tag !== name) await undefinedIfGone(engine.json({ method: 'DELETE', path: `/images/${tag}` }), goneOrGoing);
}

/** Removes the image unless another edge uses it. A pulled image is not ours to remove. */
export async function removeImage(engine: EngineClient, { name, processor }: EdgeImage): Promise<void> {
  if (!processor) await undefinedIfGone(engine.json({ method: 'DELETE', path: `/images/${name}` }), goneOrGoing);
}

async function ship(engine: EngineClient, { name }: EdgeImage, execPath: string, say: Say): Promise<void> {
  const began = Date.now();
  let bytes = 0;
  const [repo, tag] = name.split(':') as [string, string];
  const query = { fromSrc: '-', repo, tag, changes: `LABEL ${roleLabel}=edge` };
  const body = packEntries(rootOf(execPath), (count) => (bytes += count));
  const call = { method: 'POST', path: '/images/create', query, body, deadlineMs: shipMs } as const;
  throwStreamError(await text(await engine.open(call)), 'the image of the edge was not loaded');
  say(`sent Node for the edge to the server: ${(bytes / 1e6).toFixed(1)} MB in ${Date.now() - began} ms`);
}

async function pull(engine: EngineClient, { name, processor }: EdgeImage): Promise<void> {
  const [fromImage, tag] = name.split(':') as [string, string];
  const why = `the server has another processor architecture (${processor}) and needs the image ${name}, which cannot be pulled`;
  try {
    const call = { method: 'POST', path: '/images/create', query: { fromImage, tag }, deadlineMs: shipMs } as const;
    throwStreamError(await text(await engine.open(call)), why);
  } catch (error) {
    if (error instanceof EngineError) throw new Error(`${why}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Node, its dependencies, and mount points for the engine. */
function rootOf(execPath: string): WrittenEntry[] {
  const files = filesNeededBy(execPath).map((path) => copiedFileEntry(path, path.slice(1), 0o755));
  const mounts = ['data', 'tmp', 'proc', 'sys', 'dev', 'sbin'].map((path) => folderEntry(path));
  return [
    ...mounts,
    ...parentsOf([...files.map(({ path }) => path), ownNode.slice(1), 'etc/passwd']).map((path) => folderEntry(path)),
    textEntry('etc/passwd', 'root:x:0:0::/data:/\n'),
    textEntry('etc/group', 'root:x:0:\n'),
    ...files,
    copiedFileEntry(execPath, ownNode.slice(1), 0o755),
  ];
}

/** Returns parent folders, outer ones first. */
function parentsOf(paths: string[]): string[] {
  const parents = paths.flatMap((path) =>
    path
      .split('/')
      .slice(0, -1)
      .map((_, i, all) => all.slice(0, i + 1).join('/')),
  );
  return [...new Set(parents)].toSorted();
}

const bytesOf = (execPath: string): number => rootOf(execPath).reduce((sum, { size }) => sum + size, 0);

const fingerprints = new Map<string, Promise<string>>();

/** Fingerprint of Node and its libraries. Cached: it takes a moment and does not change while we run. */
function nodeFingerprint(execPath: string): Promise<string> {
  const known = fingerprints.get(execPath) ?? hashOf([execPath, ...filesNeededBy(execPath)]);
  fingerprints.set(execPath, known);
  return known;
}

async function hashOf(paths: string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) await pipeline(createReadStream(path), hash, { end: false });
  return hash.digest('hex').slice(0, 24);
}
