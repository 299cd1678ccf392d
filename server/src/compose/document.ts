import { memoryTree } from '../detect/memory-tree.ts';
import { parseCompose } from './index.ts';
import type { ComposeProject } from './project.ts';

const file = 'compose.json';

/** Parses the compose document stored with a project. Throws a `ComposeError` if it is invalid. */
export const readDocument = (name: string, text: string): Promise<ComposeProject> =>
  parseCompose(memoryTree({ [file]: text }), { name, files: [file] });
