import { asList } from '../files/merge-rules.ts';
import { entryAt } from '../yaml/nodes.ts';
import type { MappingFields } from './fields.ts';

/** Reads `name=address`, `name:address`, or a mapping. */
export function readExtraHosts(fields: MappingFields): { host: string; address: string }[] {
  const node = entryAt(fields.node, 'extra_hosts');
  if (!node) return [];
  const listed = asList(node);
  const found = (listed.kind === 'list' ? listed.items : []).flatMap((item) => {
    const text = item.kind === 'scalar' ? String(item.value) : '';
    const [, host, address] = /^([^=:]+)[=:](.+)$/s.exec(text) ?? [];
    if (host && address) return [{ host, address: address.replace(/^\[(.*)\]$/s, '$1') }];
    fields.wrong('extra_hosts', `${text.slice(0, 60)}: must be name=address`, item);
    return [];
  });
  return [...new Map(found.map((each) => [`${each.host}=${each.address}`, each])).values()];
}
