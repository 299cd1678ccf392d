import type { ComposeReport } from '../problems.ts';
import { substitute, TemplateError, type VariableSource } from '../values/template.ts';
import { dict, listNode, sourceLineOf, scalarNode, type Node } from '../yaml/nodes.ts';

/** Substitutes variables in all values. Keys stay as they are, as in Docker Compose. */
export function interpolate(
  node: Node,
  lookup: VariableSource,
  report: ComposeReport,
  path: readonly string[] = [],
): Node {
  if (node.kind === 'list')
    return listNode(
      node.items.map((item) => interpolate(item, lookup, report, path)),
      node,
    );
  if (node.kind === 'dict') {
    const entries = [...node.entries].map(
      ([key, { line, node: value }]) =>
        [key, { line, node: interpolate(value, lookup, report, [...path, key]) }] as const,
    );
    return dict(new Map(entries), node);
  }
  if (typeof node.value !== 'string' || !node.value.includes('$')) return node;
  const of = variableAt(path, node.value);
  try {
    const text = substitute(node.value, lookup, (name) =>
      report.warn(sourceLineOf(node), `the variable ${name} is not set; an empty value is used`, {
        unset: { name, ...(of && { of }) },
      }),
    );
    return scalarNode(text, node);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    report.error(sourceLineOf(node), error.message);
    return scalarNode('', node);
  }
}

/** Returns the variable of a service whose value is at this path: `KEY: value`, or `KEY=value` in a list. */
function variableAt([top, service, field, key]: readonly string[], text: string) {
  if (top !== 'services' || service === undefined || field !== 'environment') return undefined;
  return { service, key: key ?? text.split('=')[0]! };
}
