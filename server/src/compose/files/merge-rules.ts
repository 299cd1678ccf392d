import { dictNode, listNode, scalarNode, type DictNode, type MappingEntry, type Node } from '../yaml/nodes.ts';

/** How to merge two values of a field. By default mappings are merged, lists appended, others replaced. */
export type MergeRule =
  /** The later value replaces the earlier one. */
  | 'replace'
  /** Both are converted to mappings and merged. */
  | 'mapping'
  /** Like `mapping`, for names with values: a name without a value removes the earlier one. */
  | 'pairs'
  /** Both are converted to lists and appended. */
  | 'list'
  /** Options are merged only for the same driver. */
  | 'same driver';

/** Rules by path; `*` is any name. */
const rules: Record<string, MergeRule> = {
  'networks.*.labels': 'pairs',
  'volumes.*.labels': 'pairs',
  'services.*.annotations': 'pairs',
  'services.*.build': 'mapping',
  'services.*.build.args': 'pairs',
  'services.*.build.additional_contexts': 'pairs',
  'services.*.build.extra_hosts': 'list',
  'services.*.build.labels': 'pairs',
  'services.*.command': 'replace',
  'services.*.depends_on': 'mapping',
  'services.*.deploy.labels': 'pairs',
  'services.*.dns': 'list',
  'services.*.dns_opt': 'list',
  'services.*.dns_search': 'list',
  'services.*.entrypoint': 'replace',
  'services.*.env_file': 'list',
  'services.*.label_file': 'list',
  'services.*.environment': 'pairs',
  'services.*.extra_hosts': 'list',
  'services.*.healthcheck.test': 'replace',
  'services.*.labels': 'pairs',
  'services.*.logging': 'same driver',
  'services.*.models': 'mapping',
  'services.*.networks': 'mapping',
  'services.*.sysctls': 'pairs',
  'services.*.tmpfs': 'list',
  'services.*.ulimits.*': 'replace',
};

export const ruleFor = (path: readonly string[]): MergeRule | undefined => {
  const pattern = path.map((part, i) => (i === 1 || (path[2] === 'ulimits' && i === 3) ? '*' : part)).join('.');
  return Object.hasOwn(rules, pattern) ? rules[pattern] : undefined;
};

/**
 * Converts `[A=1, B]` to `{A: 1, B: null}`, `build: ./folder` to its context, and `depends_on` lists to conditions.
 */
export function asMapping(node: Node, field: string): DictNode | undefined {
  if (node.kind === 'dict') return node;
  if (node.kind === 'scalar' && field === 'build')
    return dictNode(new Map([['context', { line: node.line, node }]]), node);
  if (node.kind !== 'list') return undefined;
  const entries = new Map<string, MappingEntry>();
  for (const item of node.items) {
    if (item.kind !== 'scalar' || item.value === null) return undefined;
    const text = String(item.value);
    if (field === 'depends_on') {
      entries.set(text, { line: item.line, node: started(item) });
      continue;
    }
    const sign = text.indexOf('=');
    const value = scalarNode(sign < 0 ? null : text.slice(sign + 1), item);
    entries.set(sign < 0 ? text : text.slice(0, sign), { line: item.line, node: value });
  }
  return dictNode(entries, node);
}

const started = (item: Node): DictNode => {
  const entry = (value: string | boolean): MappingEntry => ({ line: item.line, node: scalarNode(value, item) });
  return dictNode(
    new Map([
      ['condition', entry('service_started')],
      ['required', entry(true)],
    ]),
    item,
  );
};

/** Converts a single value to a list, and a mapping of hosts to a list of pairs. */
export function asList(node: Node): Node {
  if (node.kind === 'scalar') return listNode(node.value === null ? [] : [node], node);
  if (node.kind === 'list') return node;
  const pairs = [...node.entries].flatMap(([key, { line, node: value }]) =>
    (value.kind === 'list' ? value.items : [value]).map((item) =>
      scalarNode(`${key}=${item.kind === 'scalar' ? (item.value ?? '') : ''}`, { origin: item.origin, line }),
    ),
  );
  return listNode(pairs, node);
}
