import { startOrder } from '../../../compose/index.ts';
import type { Stack } from './model.ts';

/** In which order services go back, those of each wave at the same time. What they go back to says what they depend on; one that
 * is new says so itself. */
export function restoreWaves(
  { project }: Pick<Stack, 'project'>,
  before: Pick<Stack, 'project'> | undefined,
): string[][] {
  const old = new Map(before?.project.services.map((service) => [service.name, service]));
  const waves = startOrder(project.services.map((service) => old.get(service.name) ?? service));
  // Old and new ones together may depend on each other in a circle.
  const ordered = new Set(waves.flat());
  const rest = project.services.map(({ name }) => name).filter((name) => !ordered.has(name));
  return [...waves, ...rest.map((name) => [name])];
}
