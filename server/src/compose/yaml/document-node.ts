import { isAlias, isScalar, isSeq, Scalar, type Alias, type Document, type ParsedNode, type YAMLMap } from 'yaml';
import { fail } from '../problems.ts';
import { dict, list, scalar, type DictNode, type Entry, type Node, type Origin } from './nodes.ts';
import { plainScalar } from './plain-scalar.ts';

/** Aliases followed; a file that a person wrote has some hundred. */
const maxNodes = 50_000;

const tags = new Map<string, 'reset' | 'override' | 'text' | 'plain'>([
  ['!reset', 'reset'],
  ['!override', 'override'],
  ['!', 'text'],
  ['tag:yaml.org,2002:str', 'text'],
  ...['int', 'float', 'bool', 'null', 'map', 'seq', 'merge'].map(
    (name) => [`tag:yaml.org,2002:${name}`, 'plain'] as const,
  ),
]);

/** A document of the library as nodes of ours; nothing for an empty one. */
export function documentNode(
  document: Document.Parsed,
  origin: Origin,
  lineAt: (offset: number) => number,
): Node | undefined {
  const anchors = new Map<string, Node | 'begun'>();
  let nodes = 0;

  const lineOf = (node: ParsedNode) => lineAt(node.range[0]);
  const stop = (node: ParsedNode, message: string): never => fail({ file: origin.file, line: lineOf(node) }, message);

  const convert = (given: ParsedNode): Node => {
    if (isAlias(given)) {
      const found = anchors.get(given.source);
      if (!found) return stop(given, `*${given.source}: there is no such anchor before it`);
      if (found === 'begun') return stop(given, `*${given.source} stands inside of what it names`);
      count(given, found.size);
      return found;
    }
    const { anchor } = given;
    if (anchor) anchors.set(anchor, 'begun');
    const node = create(given);
    if (anchor) anchors.set(anchor, node);
    return node;
  };

  const count = (given: ParsedNode, size: number) => {
    nodes += size;
    if (nodes > maxNodes) stop(given, `more than ${maxNodes} values, aliases counted`);
  };

  const create = (given: Exclude<ParsedNode, Alias.Parsed>): Node => {
    count(given, 1);
    const kind = given.tag === undefined ? undefined : tags.get(given.tag);
    if (given.tag !== undefined && !kind)
      stop(given, `${given.tag.slice(0, 60)}: tags other than !reset and !override mean nothing here`);
    const where = { origin, line: lineOf(given), ...((kind === 'reset' || kind === 'override') && { tag: kind }) };
    if (isScalar(given)) {
      const text = textOf(given.value);
      const isPlain = given.type === Scalar.PLAIN && kind !== 'text';
      return scalar(isPlain || given.type === undefined ? plainScalar(text) : text, where);
    }
    if (isSeq(given))
      return list(
        given.items.map((item) => convert(item as ParsedNode)),
        where,
      );
    return dict(entriesOf(given as YAMLMap.Parsed), where);
  };

  const entriesOf = (map: YAMLMap.Parsed): Map<string, Entry> => {
    const entries = new Map<string, Entry>();
    const merged: DictNode[] = [];
    let hasMerge = false;
    for (const { key, value } of map.items) {
      if (!isScalar(key)) return stop((key ?? map) as ParsedNode, 'a key has to be a text');
      const name = textOf(key.value);
      const isMerge = name === '<<' && key.type === Scalar.PLAIN;
      if (isMerge ? hasMerge : entries.has(name)) return stop(key, `${name.slice(0, 60)}: the key stands there twice`);
      const node = value ? convert(value) : scalar(null, { origin, line: lineOf(key) });
      if (!value) count(key, 1);
      if (isMerge) {
        hasMerge = true;
        merged.push(...mergeSources(node, () => stop(key, '<<: only mappings can be merged')));
      } else entries.set(name, { line: lineOf(key), node });
    }
    // What stands there itself counts, then the first that is merged in.
    for (const each of merged)
      for (const [name, entry] of each.entries) if (!entries.has(name)) entries.set(name, entry);
    return entries;
  };

  return document.contents ? convert(document.contents) : undefined;
}

/** Without types of the library's own every scalar is a text. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

function mergeSources(node: Node, refuse: () => never): DictNode[] {
  if (node.kind === 'dict') return [node];
  if (node.kind === 'list' && node.items.every((item) => item.kind === 'dict')) return node.items as DictNode[];
  return refuse();
}
