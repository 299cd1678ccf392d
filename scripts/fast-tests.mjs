// Lists the unit tests: those that import, directly or not, neither the list of real parts nor the rig that starts
// processes. Every test with a real part imports one of them.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { root } from './paths.mjs';

const rigs = ['parts.ts', 'children.ts'].map((name) => join(root, 'server/test/rig', name));
const importPath = /(?:\bfrom|\bimport\(?)\s*'(\.[^']+)'/g;

export function fastTests() {
  const files = ['server/src', 'cli/src', 'web/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => join(folder, name)),
  );
  const known = new Map();
  const fast = files.filter((file) => {
    const imported = importedBy(join(root, file), known);
    return !rigs.some((rig) => imported.has(rig));
  });
  // Vitest without a file runs everything.
  if (!fast.length) throw new Error(`no test of ${root} runs without the rigs, so there is nothing to run`);
  return { fast, others: files.length - fast.length };
}

/** All direct and indirect imports of the file. */
function importedBy(file, known) {
  const found = new Set([file]);
  for (const each of found) {
    if (!known.has(each)) known.set(each, importsOf(each));
    for (const next of known.get(each)) found.add(next);
  }
  return found;
}

const importsOf = (file) =>
  [...readFileSync(file, 'utf8').matchAll(importPath)]
    .map(([, path]) => resolve(dirname(file), path))
    .filter((path) => /\.(ts|tsx|mjs)$/.test(path) && existsSync(path));
