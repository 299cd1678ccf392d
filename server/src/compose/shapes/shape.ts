import type { Node } from '../yaml/nodes.ts';

/** What a value can be. A text is allowed beside most others, because that is what variables leave. */
export type ShapeKind = 'text' | 'number' | 'whole number' | 'flag' | 'list' | 'mapping' | 'nothing';

/** What a field may be. */
export interface FieldShape {
  is: readonly ShapeKind[];
  /** What the items of a list may be. */
  items?: readonly ShapeKind[];
  /** What the values of a mapping may be that has names of its own. */
  values?: readonly ShapeKind[];
  /** Fields that a mapping cannot do without. */
  needs?: readonly string[];
  /** What a text has to look like, and how to say so. */
  like?: readonly [pattern: RegExp, said: string];
  /** Whether the same item may not stand in a list twice. */
  isSet?: true;
}

/** Fields by their path, as in the tables of verdicts. */
export type Shapes = Readonly<Record<string, FieldShape>>;

/** The same shape for many fields. */
export const all = (shape: FieldShape, paths: string): Shapes =>
  Object.fromEntries(
    paths
      .trim()
      .split(/\s+/)
      .map((path) => [path, shape]),
  );

const names: Record<Exclude<ShapeKind, 'nothing'>, string> = {
  text: 'a string',
  number: 'a number',
  'whole number': 'a whole number',
  flag: 'true or false',
  list: 'a list',
  mapping: 'a mapping',
};

/** Why a value is none of the kinds; undefined when it is one. */
export function unlike(node: Node, kinds: readonly ShapeKind[]): string | undefined {
  const kind = kindOf(node);
  if (kind !== 'date' && kinds.includes(kind)) return undefined;
  if (kind === 'whole number' && kinds.includes('number')) return undefined;
  const wanted = kinds.filter((each) => each !== 'nothing').map((each) => names[each]);
  const found = kind === 'nothing' ? 'empty' : kind === 'date' ? 'a date' : names[kind];
  const isPlain = node.kind === 'scalar' && kind !== 'nothing' && kinds.includes('text');
  return `must be ${wanted.join(' or ')}, not ${found}${isPlain ? ': put it in quotes' : ''}`;
}

function kindOf(node: Node): ShapeKind | 'date' {
  if (node.kind !== 'scalar') return node.kind === 'list' ? 'list' : 'mapping';
  const { value } = node;
  if (node.isDate) return 'date';
  if (value === null) return 'nothing';
  if (typeof value === 'boolean') return 'flag';
  if (typeof value === 'string') return 'text';
  return Number.isInteger(value) ? 'whole number' : 'number';
}
