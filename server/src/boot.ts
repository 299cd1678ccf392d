import { readFileSync, statSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { defaultDataDir } from './default-data-dir.ts';

// Runs main.ts, bundled as service.cjs, with the compiled code of an earlier start, which takes less time and memory
// than compiling it again. Node's own compile cache lacks all functions that are compiled when they are first called.
// The code is in the data folder, because Mooring writes nowhere else.

/** By then, everything that a start needs has run. */
const keepAfterMs = 10_000;
/** Longer than a start takes. */
const startMs = 2000;
const lookMs = 500;
/** Part of a core. The regular work of an idle service takes about 0.01, and a small container may have 0.2. */
const busyShare = 0.1;
/** More than a start, or a collection of garbage, takes. */
const busyLooksNeeded = 3;

type Service = (require: NodeJS.Require, filename: string, dirname: string, url: string) => void;

const service = join(import.meta.dirname, 'service.cjs');
const dataDir = resolve(process.env['MOORING_DATA_DIR'] || defaultDataDir(process.getuid?.() === 0, homedir()));
const folder = join(dataDir, 'compiled');
const name = statSync(service).mtimeMs.toString(36);

let isOptimizing = true;
const script = compiled();
if (script.cachedDataRejected !== false) keepLater();
optimizeWhenBusy();
collectLessOften();
(script.runInThisContext() as Service)(createRequire(import.meta.url), service, import.meta.dirname, import.meta.url);

function compiled(): Script {
  const cachedData = keptCode();
  // The bundle is ASCII. As Latin-1 it is not copied into the heap.
  return new Script(readFileSync(service, 'latin1'), { filename: service, ...(cachedData && { cachedData }) });
}

/** V8 checks whether the code fits itself and the script, but not whether it is damaged. */
function keptCode(): Buffer | undefined {
  let kept: Buffer;
  try {
    kept = readFileSync(join(folder, name));
  } catch {
    // There is none yet. If the folder cannot be read at all, main.ts says so.
    return undefined;
  }
  const code = kept.subarray(4);
  return code.length && kept.readUInt32LE() === crc32(code) ? code : undefined;
}

function keepLater(): void {
  // V8 drops the code of functions that were not called for a while, which are those that only a start needs.
  setFlagsFromString('--no-flush-bytecode');
  const later = async () => {
    // V8 takes code only with the flags that it was made with.
    setFlagsFromString('--flush-bytecode');
    const before = isOptimizing;
    optimize(true);
    const code = script.createCachedData();
    optimize(before);
    await keep(code);
  };
  setTimeout(() => {
    later().catch((error: Error) => process.emitWarning(`compiled code was not kept: ${error.message}`));
  }, keepAfterMs).unref();
}

/** Neither a start nor an idle service needs optimized code, and V8's compilers take 7 MB of memory. Threads count
 * too: they have the same flags. */
function optimizeWhenBusy(): void {
  optimize(false);
  let last = process.cpuUsage();
  let busyLooks = 0;
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(last);
    last = process.cpuUsage();
    busyLooks = user + system > busyShare * lookMs * 1000 ? busyLooks + 1 : 0;
    if (busyLooks < busyLooksNeeded) return;
    optimize(true);
    clearInterval(timer);
  }, lookMs).unref();
}

/** Most of what a start creates stays, and each collection copies it. There are eight if the young generation grows in
 * steps of 2, V8's default, and five with 4. */
function collectLessOften(): void {
  setFlagsFromString('--semi-space-growth-factor=4');
  setTimeout(() => setFlagsFromString('--semi-space-growth-factor=2'), startMs).unref();
}

function optimize(isWanted: boolean): void {
  isOptimizing = isWanted;
  for (const compiler of ['maglev', 'turbofan']) setFlagsFromString(isWanted ? `--${compiler}` : `--no-${compiler}`);
}

/** Replaces the code of other builds. */
async function keep(code: Buffer): Promise<void> {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(code));
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  const draft = join(folder, `${name}.new`);
  await writeFile(draft, [checksum, code], { mode: 0o600 });
  await rename(draft, join(folder, name));
}
