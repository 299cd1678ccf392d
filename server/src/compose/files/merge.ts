import type { ComposeReport } from '../problems.ts';
import {
  entryAt,
  dictNode,
  isNull,
  kindName,
  listNode,
  sourceLineOf,
  type DictNode,
  type MappingEntry,
  type Node,
} from '../yaml/nodes.ts';
import { asList, asMapping, ruleFor } from './merge-rules.ts';

/**
 * Merges a later file over an earlier one, by the rules of Docker Compose. `path` is their position: `['services',
 * 'web']`.
 */
export function merge(left: Node, right: Node, path: readonly string[], report: ComposeReport): Node {
  if (right.tag === 'override') return right;
  const rule = ruleFor(path);
  if (rule === 'replace') return right;
  if (isNull(right)) return left;
  if (isNull(left)) return right;
  const field = path.at(-1) ?? '';
  if (rule === 'same driver' && driverOf(left) && driverOf(right) && driverOf(left) !== driverOf(right)) return right;
  if (rule === 'mapping' || rule === 'pairs') {
    const [one, two] = [asMapping(left, field), asMapping(right, field)];
    if (one && two && rule === 'mapping') return mergeDicts(one, two, path, report);
    if (one && two) return withoutResets(dictNode(new Map([...one.entries, ...two.entries]), right));
  }
  if (rule === 'list') return append(asList(left), asList(right));
  if (left.kind === 'dict' && right.kind === 'dict') return mergeDicts(left, right, path, report);
  if (left.kind === 'list' && right.kind === 'list') return append(left, right);
  if (left.kind !== right.kind)
    report.error(
      sourceLineOf(right),
      `${path.join('.')}: ${kindName(right)} cannot be merged with ${kindName(left)} of ${left.origin.file}`,
    );
  return right;
}

export function mergeDicts(left: DictNode, right: DictNode, path: readonly string[], report: ComposeReport): DictNode {
  const entries = new Map<string, MappingEntry>(left.entries);
  for (const [key, entry] of right.entries) {
    const before = entries.get(key);
    if (entry.node.tag === 'reset') entries.delete(key);
    else if (!before) entries.set(key, entry);
    else entries.set(key, { line: entry.line, node: merge(before.node, entry.node, [...path, key], report) });
  }
  return dictNode(entries, right);
}

const append = (left: Node, right: Node): Node =>
  left.kind === 'list' && right.kind === 'list' ? listNode([...left.items, ...right.items], right) : right;

const driverOf = (node: Node): string | undefined => {
  const driver = entryAt(node, 'driver');
  return driver?.kind === 'scalar' && driver.value !== null ? String(driver.value) : undefined;
};

/** Removes `!reset` values that have nothing to reset. */
export function withoutResets(node: Node): Node {
  if (node.kind === 'scalar') return node;
  if (node.kind === 'list') return listNode(node.items.filter(({ tag }) => tag !== 'reset').map(withoutResets), node);
  const kept = [...node.entries].filter(([, entry]) => entry.node.tag !== 'reset');
  return dictNode(
    new Map(kept.map(([key, { line, node: value }]) => [key, { line, node: withoutResets(value) }])),
    node,
  );
}
