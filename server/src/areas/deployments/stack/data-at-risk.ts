import type { ComposeService } from '../../../compose/index.ts';
import type { SeenService, WantedService } from './plan.ts';

type Kept = { what: string; target: string };

/** Data that a change would leave behind or exchange for other data, in sentences by service. Volumes themselves always stay. */
export function dataAtRisk(
  seen: ReadonlyMap<string, SeenService>,
  wanted: readonly WantedService[],
): Map<string, string[]> {
  const risks = new Map<string, string[]>();
  const after = new Map(wanted.map(({ service }) => [service.name, service]));
  const usedAfter = new Set(wanted.flatMap(({ service }) => keptBy(service).map(({ what }) => what)));
  for (const [name, { service }] of seen) {
    const now = after.get(name);
    const sentences = now
      ? keptBy(service).flatMap((kept) => lossOf(name, kept, now))
      : keptBy(service)
          .filter(({ what }) => !usedAfter.has(what))
          .map(({ what }) => `${name} goes, and nothing uses ${what} any more`);
    if (sentences.length) risks.set(name, sentences);
  }
  return risks;
}

function lossOf(name: string, { what, target }: Kept, now: ComposeService): string[] {
  const kept = keptBy(now);
  if (kept.some((each) => each.what === what && each.target === target)) return [];
  const instead = kept.find((each) => each.target === target);
  if (instead) return [`${name} has ${instead.what} at ${target} in place of ${what}`];
  if (kept.some((each) => each.what === what)) return [`${name} has ${what} no longer at ${target}`];
  return [`${name} no longer has ${what} at ${target}`];
}

/** Named volumes and folders of the machine: what outlives containers and has a name to be missed by. */
const keptBy = ({ mounts }: ComposeService): Kept[] =>
  mounts.flatMap((mount) => {
    if (mount.isReadOnly || mount.type === 'tmpfs') return [];
    if (mount.type === 'bind')
      return mount.source.isInside ? [] : [{ what: `the folder ${mount.source.path}`, target: mount.target }];
    return mount.volume === null ? [] : [{ what: `the volume ${mount.volume}`, target: mount.target }];
  });
