import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ComposeOptions } from '../../src/compose/index.ts';

/** Folders with a compose file of our own, and `expect.json`: Docker Compose's result. */
export const filesFolder = join(import.meta.dirname, 'files');

export const caseNames = (): string[] => readdirSync(filesFolder).toSorted();

/** The variables, profiles and files of a case. */
export function caseOptions(name: string): ComposeOptions {
  const path = join(filesFolder, name, 'case.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as ComposeOptions) : {};
}
