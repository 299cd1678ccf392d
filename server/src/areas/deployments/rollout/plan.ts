import type { ComposeService } from '../../../compose/index.ts';
import type { ComposeVolume } from '../../../compose/project.ts';
import type { RunningService } from '../stack/running-services.ts';
import type { TakeOver } from './originals/plan.ts';
import type { ServiceChange, ServiceImage, ReplaceStrategy } from '../model/stack.ts';
import { exclusiveVolumes, fixedAddresses } from '../model/single-replica.ts';

/** A service as the deployment wants it. The image is null if it failed to build or was not built yet. */
export interface WantedService {
  service: ComposeService;
  digest: string;
  image: ServiceImage | null;
  /** Mounted folders that the source does not have: they contain data. */
  dataFolders: string[];
  /** Volumes of its project. */
  volumes?: readonly ComposeVolume[];
}

export interface ServicePlan {
  name: string;
  change: ServiceChange;
  strategy: ReplaceStrategy | null;
  reason: string | null;
  /** Data that the change would lose or replace, one sentence each. */
  dataAtRisk: string[];
}

/** Redacts the plan: names of volumes and paths may contain secrets from variables. */
export const redactedPlan = (plan: ServicePlan, redact: (text: string) => string): ServicePlan => ({
  ...plan,
  reason: plan.reason === null ? null : redact(plan.reason),
  dataAtRisk: plan.dataAtRisk.map(redact),
});

/** Plans each service: the wanted ones in order, then the removed ones. Some take over from original containers. */
export function planServices(
  asSeen: ReadonlyMap<string, RunningService>,
  asWanted: readonly WantedService[],
  takeOvers: ReadonlyMap<string, TakeOver> = new Map(),
): ServicePlan[] {
  const seen = new Map([...asSeen].map(([name, each]) => [name, withVolumeNames(each)]));
  const wanted = asWanted.map(withVolumeNames);
  const changed = changedNames(seen, wanted);
  const risks = dataAtRisk(seen, wanted);
  const planned = wanted.map((each): ServicePlan => {
    const { name } = each.service;
    const before = seen.get(name);
    const common = { name, dataAtRisk: risks.get(name) ?? [] };
    const takeOver = takeOvers.get(name);
    if (!before && takeOver) return { ...common, change: 'replace', ...takeOver };
    if (!before) return { ...common, change: 'create', strategy: null, reason: null };
    const why = changed.get(name);
    if (why === undefined) return { ...common, change: 'unchanged', strategy: null, reason: null };
    const exclusive = whyStopFirst(each, before);
    return { ...common, change: 'replace', ...(exclusive ?? { strategy: 'start_first', reason: why }) };
  });
  const names = new Set(wanted.map(({ service }) => service.name));
  const gone = [...seen.keys()].filter((name) => !names.has(name));
  return [
    ...planned,
    ...gone.map((name): ServicePlan => ({
      name,
      change: 'remove',
      strategy: null,
      reason: null,
      dataAtRisk: risks.get(name) ?? [],
    })),
  ];
}

/** Two files may use different keys for one external volume, so volumes are compared by their external name. */
function withVolumeNames<T extends Pick<WantedService, 'service' | 'volumes'>>(each: T): T {
  const { service, volumes = [] } = each;
  const nameOf = (key: string | null) => volumes.find(({ name }) => name === key)?.externalName ?? key;
  const mounts = service.mounts.map((mount) =>
    mount.type === 'volume' ? { ...mount, volume: nameOf(mount.volume) } : mount,
  );
  return { ...each, service: { ...service, mounts } };
}

/** Returns the running services that must change, and why. */
function changedNames(
  seen: ReadonlyMap<string, RunningService>,
  wanted: readonly WantedService[],
): Map<string, string> {
  const changed = new Map<string, string>();
  for (const { service, digest, image } of wanted) {
    const before = seen.get(service.name);
    if (!before) continue;
    if (!before.isThere) changed.set(service.name, 'its container is gone');
    else if (before.digest !== digest) changed.set(service.name, 'its settings or its files have changed');
    else if (image && image.imageId !== before.image?.imageId) changed.set(service.name, 'there is a newer image');
  }
  // A service that shares another one's network, or asks to restart with it, is replaced with it.
  for (let isMore = true; isMore;) {
    isMore = false;
    for (const { service } of wanted) {
      const cause = causesOf(service).find((name) => changed.has(name) || !seen.has(name));
      if (cause === undefined || changed.has(service.name) || !seen.has(service.name)) continue;
      changed.set(service.name, `it is restarted with ${cause}`);
      isMore = true;
    }
  }
  return changed;
}

const causesOf = ({ dependsOn, networkMode }: ComposeService): string[] => [
  ...dependsOn.filter(({ isRestarted }) => isRestarted).map(({ service }) => service),
  ...(networkMode?.startsWith('service:') ? [networkMode.slice('service:'.length)] : []),
];

/** Two versions cannot always run side by side. */
function whyStopFirst(
  wanted: WantedService,
  before: RunningService,
): { strategy: ReplaceStrategy; reason: string } | undefined {
  const stopFirst = (reason: string) => ({ strategy: 'stop_first' as const, reason });
  const ports = fixedPorts(before.service).filter((port) => fixedPorts(wanted.service).includes(port));
  if (ports.length) return stopFirst(`it publishes port ${ports.join(', ')} of the machine, which only one can do`);
  if (wanted.service.networkMode === 'host' && before.service.networkMode === 'host')
    return stopFirst('it uses the network of the machine, where two would need the same ports');
  const addresses = fixedAddresses(before.service).filter((each) => fixedAddresses(wanted.service).includes(each));
  if (addresses.length) return stopFirst(`it has the address ${addresses.join(', ')}, which only one can have`);
  const shared = exclusiveVolumes(wanted.service, wanted.image, wanted.dataFolders);
  const old = new Set(exclusiveVolumes(before.service, before.image, wanted.dataFolders));
  const both = shared.filter((name) => old.has(name));
  if (both.length) return stopFirst(`it writes to ${both.join(', ')}, which two versions must not do at the same time`);
  return undefined;
}

const fixedPorts = ({ ports }: ComposeService): string[] =>
  ports
    .filter(({ published }) => published && published.from > 0 && published.from === published.to)
    .map(({ published, protocol }) => (protocol === 'tcp' ? `${published!.from}` : `${published!.from}/${protocol}`));

type Kept = { what: string; target: string };

/** Describes data that a change would leave behind or replace, by service. The volumes themselves always stay. */
function dataAtRisk(
  seen: ReadonlyMap<string, RunningService>,
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
          .map(({ what }) => `${name} is removed, and nothing else uses ${what}`);
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

/** Named volumes and folders of the machine, which outlive containers. */
const keptBy = ({ mounts }: ComposeService): Kept[] =>
  mounts.flatMap((mount) => {
    // Changing a project's volumes has its own warning about their data.
    if (mount.isReadOnly || mount.isOfProject || mount.type === 'tmpfs') return [];
    if (mount.type === 'bind')
      return mount.source.isInside ? [] : [{ what: `the folder ${mount.source.path}`, target: mount.target }];
    if (mount.volume === null) return [];
    const kind = /^[0-9a-f]{64}$/.test(mount.volume) ? 'unnamed volume' : 'volume';
    return [{ what: `the ${kind} ${mount.volume}`, target: mount.target }];
  });
