import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Failure } from '../errors.ts';

export type NamedProject = { name: string; source: '--project' | 'mooring.json' | 'package.json' | 'the folder' };

/** Which project a folder belongs to: what is said wins over what is written, and that over what is guessed. */
export function projectNameOf(folder: string, given: string | undefined): NamedProject {
  if (given) return { name: given, source: '--project' };
  const linked = fieldOf(join(folder, 'mooring.json'), 'project', true);
  if (linked) return { name: linked, source: 'mooring.json' };
  // A scope is the namespace of a registry; what the app is called comes after it.
  const packaged = fieldOf(join(folder, 'package.json'), 'name', false)?.replace(/^@[^/]*\//, '');
  if (packaged) return { name: packaged, source: 'package.json' };
  const name = basename(resolve(folder));
  if (!name) throw new Failure('this folder has no name; give one with --project');
  return { name, source: 'the folder' };
}

/** Remembers the project for the next time. A folder that cannot be written to is no reason to fail. */
export function rememberProject(folder: string, name: string): boolean {
  const file = join(folder, 'mooring.json');
  if (existsSync(file)) return false;
  try {
    writeFileSync(file, `${JSON.stringify({ project: name }, null, 2)}\n`, { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

function fieldOf(file: string, field: string, strict: boolean): string | undefined {
  if (!existsSync(file)) return undefined;
  const value = parsed(readFileSync(file, 'utf8'))?.[field];
  if (typeof value === 'string' && value.trim()) return value.trim();
  if (strict) throw new Failure(`${file} should be like {"project": "name"}; correct it, or remove it`);
  return undefined;
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown> | undefined;
  } catch {
    return undefined;
  }
}
