import { readdirSync, rmSync, statSync } from 'node:fs';
import { enableCompileCache, flushCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { defaultDataDir } from './default-data-dir.ts';

// Runs main.ts with the compiled code of an earlier start, which takes less time and memory than compiling it again.
// The code is in the data folder, because Mooring writes nowhere else; a new data folder has none.

const flushMs = 10_000;

const dataDir = process.env['MOORING_DATA_DIR'] || defaultDataDir(process.getuid?.() === 0, homedir());
const all = join(resolve(dataDir), 'compiled');
const ofThisBuild = statSync(import.meta.filename).mtimeMs.toString(36);

if (statSync(dataDir, { throwIfNoEntry: false })?.isDirectory()) {
  enableCompileCache(join(all, ofThisBuild));
  setTimeout(() => {
    flushCompileCache();
    removeOthers();
  }, flushMs).unref();
}

await import('./main.ts');

/** Removes the code of other builds. Without it, nothing is lost but time. */
function removeOthers(): void {
  try {
    for (const name of readdirSync(all))
      if (name !== ofThisBuild) rmSync(join(all, name), { recursive: true, force: true });
  } catch (error) {
    process.emitWarning(`${all} was not tidied: ${(error as Error).message}`);
  }
}
