import { memoryTree } from '../detect/memory-tree.ts';
import { parseCompose } from './index.ts';
import type { ComposeProject } from './project.ts';

const file = 'compose.json';

/** Reads a compose document that is stored with a project, by the way that every compose file goes. Throws a `ComposeError` where it is none. */
export const readDocument = (name: string, text: string): Promise<ComposeProject> =>
  parseCompose(memoryTree({ [file]: text }), { name, files: [file] });
