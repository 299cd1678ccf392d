import type { ComposeService } from '../service.ts';
import type { MappingFields } from './fields.ts';

/** Reads the pull policy. Periodic ones fall back to `missing`, with a warning. */
export function readPullPolicy(fields: MappingFields): ComposeService['pullPolicy'] {
  const text = fields.written('pull_policy');
  if (text === null || text === 'missing' || text === 'if_not_present') return 'missing';
  if (text === 'always' || text === 'never' || text === 'build') return text;
  if (/^(refresh|daily|weekly|every_(\d+[wdhms])+)$/.test(text))
    fields.report.warn(
      fields.place('pull_policy'),
      `pull_policy: ${text} is ignored: the image is pulled when it is missing`,
    );
  else fields.wrong('pull_policy', 'must be one of always, missing, if_not_present, never, build');
  return 'missing';
}

/** Reads one number for both limits, or one each; -1 is unlimited. */
export function readUlimits(fields: MappingFields): ComposeService['ulimits'] {
  const all = fields.inner('ulimits');
  if (!all) return {};
  const limits = [...all.node.entries].flatMap(([name, { node }]) => {
    if (name.startsWith('x-')) return [];
    if (node.kind === 'dict') {
      const each = all.item(name, node);
      const soft = each.integer('soft', -1);
      const hard = each.integer('hard', -1);
      if (soft !== null && hard !== null) return [[name, { soft, hard }] as const];
      all.wrong(name, 'needs soft and hard');
      return [];
    }
    const both = all.integer(name, -1);
    return both === null ? [] : [[name, { soft: both, hard: both }] as const];
  });
  return Object.fromEntries(limits);
}
