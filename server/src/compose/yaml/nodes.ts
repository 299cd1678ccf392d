import type { SourceLine } from '../problems.ts';

/** The file that a value was written in, and the folder that its relative paths start from (`''` is the source's root). */
export interface Origin {
  file: string;
  folder: string;
}

export type Plain = string | number | boolean | null;

interface Written {
  origin: Origin;
  line: number | null;
  /** `reset` takes the value of an earlier file away, `override` replaces it instead of merging. */
  tag?: 'reset' | 'override';
  /** How many nodes this stands for, itself included and aliases followed. */
  size: number;
}

/** A value of a file that still knows where it was written. Nodes are never changed: an alias and its anchor share them. */
export type Node = ScalarNode | ListNode | DictNode;

export interface ScalarNode extends Written {
  kind: 'scalar';
  value: Plain;
  /** Whether it is a date without quotes: a text here, and nothing that Docker Compose takes. */
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

/** Where the entry of a dict begins: the line of its key, in the file of its value. */
export const sourceLineOfEntry = ({ line, node }: MappingEntry): SourceLine => ({ file: node.origin.file, line });

type Where = Pick<Written, 'origin' | 'line'> & { tag?: Written['tag'] };

export const scalarNode = (value: Plain, { origin, line, tag }: Where): ScalarNode => ({
  kind: 'scalar',
  value,
  origin,
  line,
  ...(tag && { tag }),
  size: 1,
});

export const list = (items: readonly Node[], { origin, line, tag }: Where): ListNode => ({
  kind: 'list',
  items,
  origin,
  line,
  ...(tag && { tag }),
  size: items.reduce((sum, item) => sum + item.size, 1),
});

export const dict = (entries: ReadonlyMap<string, MappingEntry>, { origin, line, tag }: Where): DictNode => ({
  kind: 'dict',
  entries,
  origin,
  line,
  ...(tag && { tag }),
  size: [...entries.values()].reduce((sum, { node }) => sum + node.size, 1),
});

export const isNull = (node: Node | undefined): boolean =>
  node === undefined || (node.kind === 'scalar' && node.value === null);

/** What a person would call it. */
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

/** An entry of a dict by its path. */
export function at(node: Node | undefined, ...keys: string[]): Node | undefined {
  return keys.reduce<Node | undefined>(
    (found, key) => (found?.kind === 'dict' ? found.entries.get(key)?.node : undefined),
    node,
  );
}
