import { memoryTree } from '../detect/memory-tree.ts';
import {
  ComposeError,
  parseCompose,
  problemText,
  type ComposeOptions,
  type ComposeProject,
  type ComposeService,
} from './index.ts';

type Files = string | Record<string, string>;

const treeOf = (files: Files) => memoryTree(typeof files === 'string' ? { 'compose.yaml': files } : files);

/** Parses a compose file, or several files. */
export const projectOf = async (files: Files, options?: ComposeOptions): Promise<ComposeProject> =>
  await parseCompose(treeOf(files), options);

/** Returns the service `a` with the given lines, which start at line 4. */
export const serviceWith = async (lines: string): Promise<ComposeService> =>
  (await projectOf(serviceFile(lines))).services[0]!;

export const serviceFile = (lines: string): string =>
  `services:\n  a:\n    image: x\n${lines.replaceAll(/^/gm, '    ')}\n`;

/** Returns the errors of a project as lines. */
export async function mistakesOf(files: Files, options?: ComposeOptions): Promise<string[]> {
  try {
    await parseCompose(treeOf(files), options);
    return [];
  } catch (error) {
    if (error instanceof ComposeError) return error.problems.map(problemText);
    throw error;
  }
}

/** Returns the warnings of a project as lines. */
export const warningsOf = async (files: Files, options?: ComposeOptions): Promise<string[]> =>
  (await projectOf(files, options)).warnings.map(problemText);
