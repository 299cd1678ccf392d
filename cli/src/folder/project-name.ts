import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Failure } from '../errors.ts';

export type NamedProject = {
  name: string;
  /** Only in a link that a deployment has written; one that was written by hand may have the name alone. */
  id?: string;
  source: '--project' | 'mooring.json' | 'package.json' | 'the folder';
};

/** Which project a folder belongs to: what is said wins over what is written, and that over what is guessed. */
export function projectNameOf(folder: string, given: string | undefined): NamedProject {
  if (given) return { name: given, source: '--project' };
  return linkOf(folder) ?? guessOf(folder);
}

/** The name that a new project gets without anybody naming it. */
export function guessOf(folder: string): NamedProject {
  // A scope is the namespace of a registry; what the app is called comes after it.
  const packaged = textIn(fieldsOf(join(folder, 'package.json')), 'name')?.replace(/^@[^/]*\//, '');
  if (packaged) return { name: packaged, source: 'package.json' };
  const name = basename(resolve(folder));
  if (!name) throw new Failure('this folder has no name; give one with --project');
  return { name, source: 'the folder' };
}

/** What `mooring.json` says, if there is one. */
function linkOf(folder: string): NamedProject | undefined {
  const file = join(folder, 'mooring.json');
  if (!existsSync(file)) return undefined;
  const fields = fieldsOf(file);
  const name = textIn(fields, 'project');
  // It may say other things alone, such as volumes.
  if (fields && !('project' in fields) && Object.keys(fields).length) return undefined;
  if (!name) throw new Failure(`${file} should be like {"project": "name"}; fix or remove it`);
  const id = textIn(fields, 'projectId');
  return { name, ...(id && { id }), source: 'mooring.json' };
}

/** Links the folder to its project. Says why it could not, which is no reason to fail. */
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
