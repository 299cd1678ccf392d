import type { ComposeReport } from '../problems.ts';
import { sourceLineOfEntry, sourceLineOf, type DictNode, type Node } from '../yaml/nodes.ts';
import type { Verdicts } from './verdict.ts';

/**
 * Checks every field against the table, so that none is dropped silently. `prefix` is the name of the mapping in
 * messages, `path` in the table.
 */
export function checkFields(node: DictNode, table: Verdicts, report: ComposeReport, prefix: string, path = ''): void {
  const parents = parentsOf(table);
  for (const [key, entry] of node.entries) {
    if (key.startsWith('x-')) continue;
    const name = path ? `${path}.${key}` : key;
    const said = prefix ? `${prefix}.${key}` : key;
    const verdict = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!verdict) report.warn(sourceLineOfEntry(entry), `${said.slice(0, 200)} is ignored: there is no such field`);
    else if (verdict.is === 'warned') report.warn(sourceLineOfEntry(entry), `${said} is ignored: ${verdict.why}`);
    else if (verdict.is === 'refused') report.error(sourceLineOfEntry(entry), `${said} is refused: ${verdict.why}`);
    else if (parents.has(name)) checkBelow(entry.node, table, report, said, name);
  }
}

/** Checks nested fields: those of a mapping, of list items, or of named entries. */
function checkBelow(node: Node, table: Verdicts, report: ComposeReport, said: string, name: string): void {
  const parents = parentsOf(table);
  if (node.kind === 'list' && parents.has(`${name}[]`)) {
    for (const item of node.items)
      if (item.kind === 'dict') checkFields(item, table, report, said, `${name}[]`);
      else if (item.kind === 'list') report.error(sourceLineOf(item), `${said}: a list in a list`);
  } else if (node.kind === 'dict' && parents.has(`${name}.*`)) {
    for (const [key, { node: inner }] of node.entries)
      if (inner.kind === 'dict' && !key.startsWith('x-'))
        checkFields(inner, table, report, `${said}.${key.slice(0, 60)}`, `${name}.*`);
  } else if (node.kind === 'dict') checkFields(node, table, report, said, name);
}

const known = new WeakMap<Verdicts, Set<string>>();

/** Returns the paths of a table with nested fields. */
function parentsOf(table: Verdicts): Set<string> {
  const before = known.get(table);
  if (before) return before;
  const parents = new Set<string>();
  for (const path of Object.keys(table)) {
    const steps = path.split('.');
    for (let i = 1; i < steps.length; i++) {
      const parent = steps.slice(0, i).join('.');
      parents.add(parent).add(parent.replace(/(\[\]|\.\*)$/, ''));
    }
  }
  known.set(table, parents);
  return parents;
}
