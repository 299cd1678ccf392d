import type { MappingFields } from './fields.ts';

/** Labels that identify Mooring's own resources; users must not set them. */
const reserved = /^(mooring|com\.docker\.compose)\./i;

export function readLabels(
  fields: MappingFields,
  fromFiles: ReadonlyMap<string, string> = new Map(),
): Record<string, string> {
  const labels = Object.fromEntries([...fromFiles, ...Object.entries(fields.record('labels'))]);
  const taken = Object.keys(labels).find((name) => reserved.test(name));
  if (taken !== undefined)
    fields.wrong('labels', `${taken.slice(0, 100)}: these labels are reserved for Mooring and Docker Compose`);
  return labels;
}
