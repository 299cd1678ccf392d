import type { Node } from '../yaml/nodes.ts';

/** Type of a value. Most fields also allow text, because interpolation produces it. */
export type ShapeKind = 'text' | 'number' | 'whole number' | 'flag' | 'list' | 'mapping' | 'nothing';

export interface FieldShape {
  is: readonly ShapeKind[];
  /** Types of list items. */
  items?: readonly ShapeKind[];
  /** Types of the values in a mapping with free names. */
  values?: readonly ShapeKind[];
  /** Required fields of a mapping. */
  needs?: readonly string[];
  /** Pattern of a text, and its description. */
  like?: readonly [pattern: RegExp, said: string];
  /** Whether list items must be unique. */
  isSet?: true;
}

/** Shapes by path, as in the verdict tables. */
export type Shapes = Readonly<Record<string, FieldShape>>;

/** Assigns one shape to many fields. */
export const sameShape = (shape: FieldShape, paths: string): Shapes =>
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

/** Returns why a value has none of the types; undefined if it has one. */
export function typeMismatch(node: Node, kinds: readonly ShapeKind[]): string | undefined {
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
