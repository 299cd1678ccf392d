import type { DictNode, MappingEntry } from './yaml/nodes.ts';

/** Splits services by profile: active are those without a profile or with a selected one (`*` for all). */
export function splitByProfile(
  services: DictNode | undefined,
  chosen: readonly string[],
): { active: Map<string, MappingEntry>; inactive: Set<string> } {
  const active = new Map<string, MappingEntry>();
  const inactive = new Set<string>();
  for (const [name, entry] of services?.entries ?? []) {
    if (name.startsWith('x-')) continue;
    const profiles = profilesOf(entry);
    const isActive = !profiles.length || chosen.includes('*') || profiles.some((profile) => chosen.includes(profile));
    if (isActive) active.set(name, entry);
    else inactive.add(name);
  }
  return { active, inactive };
}

function profilesOf({ node }: MappingEntry): string[] {
  const profiles = node.kind === 'dict' ? node.entries.get('profiles')?.node : undefined;
  return profiles?.kind === 'list'
    ? profiles.items.map((item) => (item.kind === 'scalar' ? String(item.value) : ''))
    : [];
}
