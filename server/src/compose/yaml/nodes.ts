import type { SourceLine } from '../problems.ts';

/** File of a value, and the folder of its relative paths (`''` is the root of the source). */
export interface NodeOrigin {
  file: string;
  folder: string;
}

export type PlainValue = string | number | boolean | null;

interface Written {
  origin: NodeOrigin;
  line: number | null;
  /** `reset` removes the value of an earlier file, `override` replaces it instead of merging. */
  tag?: 'reset' | 'override';
  /** Number of nodes including itself and expanded aliases. */
  size: number;
}

/** A value with its position. Immutable: an alias and its anchor share nodes. */
export type Node = ScalarNode | ListNode | DictNode;

export interface ScalarNode extends Written {
  kind: 'scalar';
  value: PlainValue;
  /** Whether it is an unquoted date, which Docker Compose does not accept. */
  isDate?: true;
}

export interface ListNode extends Written {
  kind: 'list';
  items: readonly Node[];
}

export interface MappingEntry {
  /** Line of the key. */
  line: number | null;
  node: Node;
}

export interface DictNode extends Written {
  kind: 'dict';
  entries: ReadonlyMap<string, MappingEntry>;
}

export const sourceLineOf = ({ origin, line }: Pick<Written, 'origin' | 'line'>): SourceLine => ({
  file: origin.file,
  line,
});

/** Returns the line of an entry's key, in the file of its value. */
export const sourceLineOfEntry = ({ line, node }: MappingEntry): SourceLine => ({ file: node.origin.file, line });

type Where = Pick<Written, 'origin' | 'line'> & { tag?: Written['tag'] };

export const scalarNode = (value: PlainValue, { origin, line, tag }: Where): ScalarNode => ({
  kind: 'scalar',
  value,
  origin,
  line,
  ...(tag && { tag }),
  size: 1,
});

export const listNode = (items: readonly Node[], { origin, line, tag }: Where): ListNode => ({
  kind: 'list',
  items,
  origin,
  line,
  ...(tag && { tag }),
  size: items.reduce((sum, item) => sum + item.size, 1),
});

export const dictNode = (entries: ReadonlyMap<string, MappingEntry>, { origin, line, tag }: Where): DictNode => ({
  kind: 'dict',
  entries,
  origin,
  line,
  ...(tag && { tag }),
  size: [...entries.values()].reduce((sum, { node }) => sum + node.size, 1),
});

export const isNull = (node: Node | undefined): boolean =>
  node === undefined || (node.kind === 'scalar' && node.value === null);

/** Returns the type name for messages. */
export const kindName = (node: Node): string =>
  node.kind === 'dict'
    ? 'a mapping'
    : node.kind === 'list'
      ? 'a list'
      : node.value === null
        ? 'empty'
        : typeof node.value === 'string'
          ? 'a text'
          : `a ${typeof node.value}`;

/** Returns a nested entry by its path. */
export function entryAt(node: Node | undefined, ...keys: string[]): Node | undefined {
  return keys.reduce<Node | undefined>(
    (found, key) => (found?.kind === 'dict' ? found.entries.get(key)?.node : undefined),
    node,
  );
}
