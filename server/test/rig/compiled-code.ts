import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, rigFolder } from './children.ts';

// The service keeps its compiled code in its data folder after ten seconds. Services of a test run share what the first
// one has kept, because a start without it takes 0.8 instead of 0.5 s of CPU time.

const shared = () => join(rigFolder(), 'compiled');

/** An empty data folder, but for the compiled code if a service of this run has kept it. */
export function newDataFolder(): string {
  const folder = newFolder('data');
  if (!existsSync(shared())) return folder;
  mkdirSync(join(folder, 'compiled'), { mode: 0o700 });
  for (const name of readdirSync(shared())) copyFileSync(join(shared(), name), join(folder, 'compiled', name));
  return folder;
}

/** Shares the code that a service has kept in its data folder. */
export function keepCode(dataDir: string): void {
  const own = join(dataDir, 'compiled');
  // A killed service may have left an incomplete file, whose name ends in `.new`.
  const name = existsSync(own) && !existsSync(shared()) && readdirSync(own).find((each) => !each.endsWith('.new'));
  if (!name) return;
  const draft = join(newFolder('compiled'), name);
  copyFileSync(join(own, name), draft);
  mkdirSync(shared(), { recursive: true });
  renameSync(draft, join(shared(), name));
}
