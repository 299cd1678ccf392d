import { parseCompose, type ComposeProject } from '../../../compose/index.ts';
import { memoryTree } from '../../../detect/memory-tree.ts';

const file = 'compose.json';

/** Reads a stored document by the way that every compose file goes. Throws a `ComposeError` where it is none. */
export const readDocument = (name: string, text: string): Promise<ComposeProject> =>
  parseCompose(memoryTree({ [file]: text }), { name, files: [file] });
