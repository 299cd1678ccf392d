import { buildSync } from 'esbuild';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { newFolder, rigFolder } from './children.ts';

/** Bundles a program of the source as the build does, once per run: Node needs five times as long to start the edge
 * from its source files. */
export function bundledProgram(source: string, name: string): string {
  const folder = join(rigFolder(), 'programs');
  const file = join(folder, `${name}.cjs`);
  if (existsSync(file)) return file;
  const draft = join(newFolder('program'), basename(file));
  buildSync({
    entryPoints: [source],
    outfile: draft,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    logLevel: 'warning',
  });
  mkdirSync(folder, { recursive: true });
  renameSync(draft, file);
  return file;
}
