import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Failure } from '../errors.ts';

export type NamedProject = {
  name: string;
  /** Present only in a link that a deployment wrote; a handwritten one may have just the name. */
  id?: string;
  source: '--project' | 'mooring.json' | 'package.json' | 'the folder';
};

/** Determines the project of a folder: an option wins over mooring.json, which wins over the guess. */
export function projectNameOf(folder: string, given: string | undefined): NamedProject {
  if (given) return { name: given, source: '--project' };
  return linkOf(folder) ?? guessOf(folder);
}

/** The default name of a new project. */
export function guessOf(folder: string): NamedProject {
  // A scope is the registry's namespace; the app's name comes after it.
  const packaged = textIn(fieldsOf(join(folder, 'package.json')), 'name')?.replace(/^@[^/]*\//, '');
  if (packaged) return { name: packaged, source: 'package.json' };
  const name = basename(resolve(folder));
  if (!name) throw new Failure('this folder has no name; name a project');
  return { name, source: 'the folder' };
}

/** Reads the project from `mooring.json`. */
function linkOf(folder: string): NamedProject | undefined {
  const file = join(folder, 'mooring.json');
  if (!existsSync(file)) return undefined;
  const fields = fieldsOf(file);
  const name = textIn(fields, 'project');
  // The file may contain only other settings, such as volumes.
  if (fields && !('project' in fields) && Object.keys(fields).length) return undefined;
  if (!name) throw new Failure(`${file} should be like {"project": "name"}; fix or remove it`);
  const id = textIn(fields, 'projectId');
  return { name, ...(id && { id }), source: 'mooring.json' };
}

/** Links the folder to its project. Returns the reason if that fails, which is no error. */
export function writeLink(folder: string, { id, name }: { id: string; name: string }): string | undefined {
  const file = join(folder, 'mooring.json');
  const link = { ...(existsSync(file) && fieldsOf(file)), project: name, projectId: id };
  try {
    writeFileSync(file, `${JSON.stringify(link, null, 2)}\n`);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function fieldsOf(file: string): Record<string, unknown> | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function textIn(fields: Record<string, unknown> | undefined, field: string): string | undefined {
  const value = fields?.[field];
  return typeof value === 'string' && value.trim() ? value.trim() : undefined;
}
