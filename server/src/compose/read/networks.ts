import { asMapping } from '../files/merge-rules.ts';
import type { ComposeService } from '../service.ts';
import { isNull } from '../yaml/nodes.ts';
import type { MappingFields } from './fields.ts';

/** Reads the networks of a service; `default` if it has none and no network mode. */
export function readNetworks(service: MappingFields, networkMode: string | null): ComposeService['networks'] {
  const node = service.get('networks');
  if (!node) return networkMode === null ? [{ name: 'default', aliases: [] }] : [];
  if (networkMode !== null) service.wrong('networks', 'cannot be combined with network_mode');
  const mapping = asMapping(node, '');
  if (!mapping) return service.wrong('networks', 'must be a list of networks, or a mapping') ?? [];
  const found = [...mapping.entries].map(([name, { node: value }]) => {
    if (isNull(value)) return { name, aliases: [] };
    if (value.kind === 'dict') {
      const fields = service.item(`networks.${name}`, value);
      const address = fields.text('ipv4_address');
      return { name, aliases: fields.texts('aliases'), ...(address !== null && { address }) };
    }
    service.wrong('networks', `${name}: must be a mapping`, value);
    return { name, aliases: [] };
  });
  return found.length || networkMode !== null ? found : [{ name: 'default', aliases: [] }];
}

/** `db`, `db:name`. */
export const readLinks = (service: MappingFields): ComposeService['links'] =>
  service.texts('links').map((text) => {
    const [name = '', alias] = text.split(':');
    return { service: name, alias: alias || name };
  });

/** `web`, `web:ro`, `container:name`. */
export const readVolumesFrom = (service: MappingFields): ComposeService['volumesFrom'] =>
  service.texts('volumes_from').map((text) => ({
    service: text.replace(/:(ro|rw)$/, ''),
    isReadOnly: text.endsWith(':ro'),
  }));
