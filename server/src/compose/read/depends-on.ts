import { asMapping } from '../files/merge-rules.ts';
import { conditions, type ComposeService, type Dependency } from '../service.ts';
import { sourceLineOfEntry, isNull } from '../yaml/nodes.ts';
import type { MappingFields } from './fields.ts';

/** Reads explicit dependencies, and implicit ones by shared networks, volumes and links. */
export function readDependsOn(
  fields: MappingFields,
  uses: Pick<ComposeService, 'links' | 'volumesFrom'>,
  modes: string[],
): Dependency[] {
  const said = declared(fields);
  const implied = [
    ...uses.links.map(({ service }) => ({ service, isRestarted: true, key: 'links' })),
    ...uses.volumesFrom.map(({ service }) => ({ service, isRestarted: false, key: 'volumes_from' })),
    ...modes.map((key) => ({ service: serviceNamespace(fields.text(key)) ?? '', isRestarted: true, key })),
  ].filter(({ service }) => service && !service.startsWith('container:'));
  const all = new Map(said.map((each) => [each.service, each]));
  for (const { service, isRestarted, key } of implied)
    if (!all.has(service))
      all.set(service, { service, condition: 'service_started', isRequired: true, isRestarted, at: fields.place(key) });
  return [...all.values()];
}

/** Returns the service of `service:name`. */
export const serviceNamespace = (mode: string | null): string | null => /^service:(.+)$/s.exec(mode ?? '')?.[1] ?? null;

function declared(fields: MappingFields): Dependency[] {
  const node = fields.get('depends_on');
  if (!node) return [];
  const mapping = asMapping(node, '');
  if (!mapping) return fields.wrong('depends_on', 'must be a list of services, or a mapping') ?? [];
  return [...mapping.entries].flatMap(([service, entry]): Dependency[] => {
    const at = sourceLineOfEntry(entry);
    if (isNull(entry.node))
      return [{ service, condition: 'service_started', isRequired: true, isRestarted: false, at }];
    if (entry.node.kind !== 'dict') {
      fields.wrong('depends_on', `${service}: must be a mapping`, entry.node);
      return [];
    }
    const each = fields.item(`depends_on.${service}`, entry.node);
    return [
      {
        service,
        condition: each.oneOf('condition', conditions) ?? 'service_started',
        isRequired: each.flag('required') ?? true,
        isRestarted: each.flag('restart') ?? false,
        at,
      },
    ];
  });
}
