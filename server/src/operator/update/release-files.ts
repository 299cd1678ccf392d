import { createHash, createPublicKey, verify } from 'node:crypto';
import {
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ProcessEnvironment, requestFailureReason, releaseUrl } from '../../areas/instance/port.ts';
import { isDiskFull } from '../../db/database.ts';
import { StartError } from '../../errors.ts';
import { httpGet } from '../../lib/http/get.ts';
import { versionPattern } from '../../lib/version-order.ts';
import { UpdateError } from './update-error.ts';

const stallMs = 60_000;
const mostBytes = 2 ** 31;
const mostBytesOfSums = 10_000;

const bundleName = (version: string): string => `mooring-${version}-linux-${process.arch}.tar.gz`;
const sumsName = (version: string): string => `mooring-${version}.sha256`;
const downloadFolder = (state: string): string => join(state, 'download');

/** The files of a release that are downloaded, the signed ones first. */
const namesOf = (version: string): string[] => [sumsName(version), `${sumsName(version)}.sig`, bundleName(version)];

export const bundleFile = (state: string, version: string): string => join(downloadFolder(state), bundleName(version));

export function forgetDownload(state: string): void {
  rmSync(downloadFolder(state), { recursive: true, force: true });
}

function emptyDownload(state: string): string {
  forgetDownload(state);
  mkdirSync(downloadFolder(state), { mode: 0o700 });
  return downloadFolder(state);
}

/** Returns the version of a bundle by its file name. Refuses one for another architecture. */
export function versionOfBundle(file: string): string {
  const [, version = '', arch = ''] = /^mooring-(.+)-linux-(\w+)\.tar\.gz$/.exec(basename(file)) ?? [];
  if (!versionPattern.test(version))
    throw new StartError(`${file} is not named like a bundle: mooring-<version>-linux-${process.arch}.tar.gz`);
  if (arch !== process.arch) throw new StartError(`${file} is for ${arch}; this machine is ${process.arch}`);
  return version;
}

/** Copies a bundle with its checksums and signature, so that the updater reads what only root can change. */
export function copyBundle(state: string, file: string, version: string): void {
  const names = namesOf(version);
  const missing = names.find((name) => !existsSync(join(dirname(file), name)));
  if (missing) throw new StartError(`${join(dirname(file), missing)} is missing; a bundle comes with three files`);
  const folder = emptyDownload(state);
  try {
    for (const name of names) copyFileSync(join(dirname(file), name), join(folder, name));
  } catch (error) {
    forgetDownload(state);
    if (!isDiskFull(error)) throw error;
    throw new StartError(`the disk of ${state} is full; free some space and run mooring update again`);
  }
}

type Progress = (percent: number, bytes: number) => void;

type ReleaseSource = { state: string; base: string; version: string; key: string; environment: ProcessEnvironment };

/** Downloads a release. The signature is checked before the large file is fetched. */
export async function downloadRelease(
  { state, base, version, key, environment }: ReleaseSource,
  onProgress: Progress,
): Promise<void> {
  if (base === 'none') throw new UpdateError('MOORING_UPDATE_URL is not set; use mooring update --bundle <file>');
  const folder = emptyDownload(state);
  const [sums = '', signature = '', bundle = ''] = namesOf(version);
  const download = (name: string, most: number, report: Progress) =>
    downloadFile({ url: releaseUrl(base, name), file: join(folder, name), most, environment }, report);
  for (const name of [sums, signature]) await download(name, mostBytesOfSums, () => {});
  signedDigest(state, version, key);
  await download(bundle, mostBytes, onProgress);
}

type Download = { url: URL; file: string; most: number; environment: ProcessEnvironment };

async function downloadFile({ url, file, most, environment }: Download, onProgress: Progress): Promise<void> {
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(), stallMs);
  try {
    const response = await httpGet(url, { environment, signal: stalled.signal, stalledMs: stallMs });
    if (response.statusCode !== 200) {
      response.destroy();
      throw new UpdateError(`${url.href} responds with status ${response.statusCode}`);
    }
    const total = Number(response.headers['content-length'] ?? 0);
    let received = 0;
    const counted = async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        timer.refresh();
        received += chunk.length;
        if (received > most) throw new UpdateError(`${url.href} is larger than ${most} bytes`);
        if (total) onProgress(Math.floor((100 * received) / total), total);
        yield chunk;
      }
    };
    await pipeline(response, counted, createWriteStream(file, { mode: 0o600 }));
    if (total && received !== total) throw new UpdateError(`${url.href} ended after ${received} of ${total} bytes`);
  } catch (error) {
    if (error instanceof UpdateError || isDiskFull(error)) throw error;
    const reason = stalled.signal.aborted ? 'the server stopped sending' : requestFailureReason(error);
    throw new UpdateError(`${url.href} cannot be downloaded: ${reason}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the signed SHA-256 of the bundle. `key` is the release key of the installed version. */
export function signedDigest(state: string, version: string, key: string): string {
  const sums = readFileSync(join(downloadFolder(state), sumsName(version)));
  const signature = readFileSync(join(downloadFolder(state), `${sumsName(version)}.sig`));
  const publicKey = createPublicKey(readFileSync(key));
  if (publicKey.asymmetricKeyType !== 'ed25519') throw new UpdateError(`${key} is not an Ed25519 key`);
  if (!verify(null, sums, publicKey, signature))
    throw new UpdateError(`the signature of ${sumsName(version)} is wrong; it was not made with ${key}`);
  const name = bundleName(version);
  // A signed file of another version does not list this one.
  const line = sums
    .toString()
    .split('\n')
    .find((each) => each.replace(/^[0-9a-f]{64} [ *]/, '') === name);
  if (!line) throw new UpdateError(`${sumsName(version)} does not list ${name}`);
  return line.slice(0, 64);
}

export async function checkDigest(file: string, expected: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  if (hash.digest('hex') !== expected)
    throw new UpdateError(`${basename(file)} is damaged: its SHA-256 is not the signed one`);
}
