import type { FileUse } from '../service.ts';
import { sourceLineOf } from '../yaml/nodes.ts';
import type { MappingFields } from './fields.ts';
import { fileMode } from './mounts.ts';

/**
 * Reads the configs and secrets of a service or build. In a build the target is the id in the Dockerfile, otherwise a
 * path in the container.
 */
export function readFileUses(fields: MappingFields, key: 'configs' | 'secrets' | 'build secrets'): FileUse[] {
  const field = key === 'configs' ? 'configs' : 'secrets';
  const found = fields.items(field).flatMap((item): FileUse[] => {
    const at = sourceLineOf(item);
    if (item.kind === 'scalar' && item.value !== null) {
      const source = String(item.value);
      return [{ source, target: targetOf(key, null, source), uid: null, gid: null, mode: null, at }];
    }
    if (item.kind !== 'dict') {
      fields.wrong(field, 'each must be a name or a mapping', item);
      return [];
    }
    const use = fields.item(field, item);
    const source = use.text('source');
    if (!source) {
      use.wrong('source', 'is needed');
      return [];
    }
    const target = targetOf(key, use.text('target'), source);
    return [{ source, target, uid: use.text('uid'), gid: use.text('gid'), mode: fileMode(use, 'mode'), at }];
  });
  return [...new Map(found.map((use) => [use.target, use])).values()];
}

/** Secrets are in their own folder, configs at the root. */
function targetOf(key: 'configs' | 'secrets' | 'build secrets', target: string | null, source: string): string {
  if (key === 'build secrets' || target?.startsWith('/')) return target ?? source;
  return `${key === 'secrets' ? '/run/secrets/' : '/'}${target ?? source}`;
}
