import { shellWords } from '../values/shell-words.ts';
import { kindName } from '../yaml/nodes.ts';
import type { MappingFields } from './fields.ts';

/** Reads a command: null if unset, empty if cleared. */
export function readCommand(fields: MappingFields, key: 'command' | 'entrypoint'): string[] | null {
  const node = fields.get(key);
  if (!node) return null;
  if (node.kind === 'list') {
    return node.items.flatMap((item) => {
      if (item.kind === 'scalar' && item.value !== null) return [String(item.value)];
      fields.wrong(key, `must be a list of strings; it contains ${kindName(item)}`, item);
      return [];
    });
  }
  if (node.kind === 'dict') return fields.wrong(key, 'must be a string or a list');
  const split = shellWords(String(node.value));
  if (!split) return fields.wrong(key, 'has unbalanced quotes or parentheses');
  if (split.cut)
    fields.report.warn(
      fields.place(key),
      `${key}: everything from ${split.cut} on is ignored, because no shell runs it (write ["sh", "-c", "..."])`,
    );
  return split.words;
}
