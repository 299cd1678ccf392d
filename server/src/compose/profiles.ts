import type { DictNode, MappingEntry } from './yaml/nodes.ts';

/** Services that run, and the names of the others. */
export interface ServicesByProfile {
  active: Map<string, MappingEntry>;
  inactive: Set<string>;
}

/**
 * Splits services by profile: active are those without a profile or with a selected one (`*` for all). Without a
 * selection, the profile with an empty name is selected, as in Docker Compose.
 */
export function splitByProfile(services: DictNode | undefined, chosen: readonly string[]): ServicesByProfile {
  const selected = chosen.length ? chosen : [''];
  const active = new Map<string, MappingEntry>();
  const inactive = new Set<string>();
  for (const [name, entry] of services?.entries ?? []) {
    if (name.startsWith('x-')) continue;
    const profiles = profilesOf(entry);
    const isActive =
      !profiles.length || selected.includes('*') || profiles.some((profile) => selected.includes(profile));
    if (isActive) active.set(name, entry);
    else inactive.add(name);
  }
  return { active, inactive };
}

/** Returns the profiles of a service. */
export function profilesOf({ node }: MappingEntry): string[] {
  const profiles = node.kind === 'dict' ? node.entries.get('profiles')?.node : undefined;
  return profiles?.kind === 'list'
    ? profiles.items.map((item) => (item.kind === 'scalar' ? String(item.value) : ''))
    : [];
}
