import type { ComposeReport } from '../problems.ts';
import { substitute, TemplateError, type VariableSource } from '../values/template.ts';
import { dictNode, listNode, sourceLineOf, scalarNode, type Node } from '../yaml/nodes.ts';

/** Most required variables that are listed for one value. */
const maxMissing = 20;

/** Values for variables that are not set and have no default. */
export interface Fallbacks {
  unset: VariableSource;
  /** For `${NAME:?}`. */
  required: VariableSource;
}

/**
 * Substitutes variables in all values. Keys stay as they are, as in Docker Compose. Unset variables get their
 * value from `fallbacks`.
 */
export function interpolate(
  node: Node,
  lookup: VariableSource,
  report: ComposeReport,
  fallbacks?: Fallbacks,
  path: readonly string[] = [],
): Node {
  if (node.kind === 'list')
    return listNode(
      node.items.map((item) => interpolate(item, lookup, report, fallbacks, path)),
      node,
    );
  if (node.kind === 'dict') {
    const entries = [...node.entries].map(
      ([key, { line, node: value }]) =>
        [key, { line, node: interpolate(value, lookup, report, fallbacks, [...path, key]) }] as const,
    );
    return dictNode(new Map(entries), node);
  }
  if (typeof node.value !== 'string' || !node.value.includes('$')) return node;
  const of = variableAt(path, node.value);
  // Required variables without a value; a placeholder lets the others be found.
  const missing = new Set<string>();
  const made = new Map<string, string>();
  const known: VariableSource = (name) => (missing.has(name) ? '-' : (made.get(name) ?? lookup(name)));
  const onUnset = (name: string) => {
    const value = fallbacks?.unset(name);
    const unset = { name, ...(of && { of }) };
    if (value === undefined)
      report.warn(sourceLineOf(node), `the variable ${name} is not set; an empty value is used`, { unset });
    return value;
  };
  for (;;)
    try {
      const text = substitute(node.value, known, onUnset);
      return scalarNode(missing.size ? '' : text, node);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const { variable: name } = error;
      const value = name === undefined ? undefined : fallbacks?.required(name);
      if (name !== undefined && value) {
        made.set(name, value);
        continue;
      }
      // Once is enough for each variable, so that the list of errors has room for all of them.
      if (name === undefined || !report.errors.some(({ unset }) => unset?.name === name))
        report.error(sourceLineOf(node), error.message, name === undefined ? {} : { unset: { name } });
      if (name === undefined || missing.size >= maxMissing) return scalarNode('', node);
      missing.add(name);
    }
}

/** Returns the variable of a service whose value is at this path: `KEY: value`, or `KEY=value` in a list. */
function variableAt([top, service, field, key]: readonly string[], text: string) {
  if (top !== 'services' || service === undefined || field !== 'environment') return undefined;
  return { service, key: key ?? text.split('=')[0]! };
}
