import { execFile } from 'node:child_process';
import { createReadStream, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ArchiveError, archiveLimits, extractArchive } from '../../lib/archive/archive.ts';
import { syncFolder } from '../../lib/replace-file.ts';
import { systemPath } from './system-path.ts';
import { UpdateError } from './update-error.ts';

const run = promisify(execFile);
const startMs = 30_000;
const digestName = '.bundle-sha256';
/** A bundle contains Node, which alone has more than 100 MB. */
const limits = { ...archiveLimits, bytes: 2 ** 31 };

type Bundle = { versions: string; version: string; file: string; digest: string };

/** Returns the size of the unpacked bundle, which gzip stores at the end of the file. */
export async function unpackedSize(file: string): Promise<number> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    if (size < 18) throw new UpdateError(`${file} is not a bundle`);
    const { buffer } = await handle.read(Buffer.alloc(4), 0, 4, size - 4);
    return buffer.readUInt32LE();
  } finally {
    await handle.close();
  }
}

/** Unpacks a verified bundle to the folder of its version. The folder appears complete or not at all. */
export async function unpackBundle({ versions, version, file, digest }: Bundle): Promise<void> {
  const target = join(versions, version);
  const partial = join(versions, `.${version}.partial`);
  // Of an earlier attempt that went back, or was killed here.
  if (digestOf(target) === digest) return;
  rmSync(partial, { recursive: true, force: true });
  try {
    await extractArchive(createReadStream(file), partial, limits).catch((error: unknown) => {
      throw error instanceof ArchiveError ? new UpdateError(`the bundle cannot be unpacked: ${error.message}`) : error;
    });
    const top = join(partial, `mooring-${version}`);
    const names = await readdir(partial);
    if (names.join() !== `mooring-${version}` || readFileSync(join(top, 'VERSION'), 'utf8').trim() !== version)
      throw new UpdateError(`the bundle does not contain mooring-${version}`);
    await requireRunnable(top, version);
    writeFileSync(join(top, digestName), digest);
    await run('sync', ['--file-system', partial]);
    rmSync(target, { recursive: true, force: true });
    renameSync(top, target);
    syncFolder(versions);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

function digestOf(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, digestName), 'utf8');
  } catch {
    return undefined;
  }
}

/** Fails before the service is stopped if the bundle's Node does not run here, for example on an old glibc. */
async function requireRunnable(folder: string, version: string): Promise<void> {
  const options = { env: { PATH: systemPath, HOME: '/' }, timeout: startMs, cwd: '/' };
  const { stdout } = await run(join(folder, 'bin', 'mooring'), ['--version'], options).catch((error: Error) => {
    throw new UpdateError(`${version} does not run on this machine: ${error.message}`, { cause: error });
  });
  if (stdout.trim() !== `mooring ${version}`)
    throw new UpdateError(`the bundle of ${version} says that it is ${stdout.trim()}`);
}
