import { copyLabel, scratchLabel } from '../../../drivers/runtime/docker/labels.ts';
import type { ContainerFacts } from '../../../drivers/runtime/docker/survey/answers.ts';
import { type ContainerIdentity, stackIdentityOf } from './platforms.ts';
import { safeText } from './safe-text.ts';

/** A service on a machine: one container, or several replicas. */
export interface FoundService {
  /** Name in requests: `group/service`, or the service alone without a group. */
  name: string;
  service: string;
  group: string | null;
  identity: ContainerIdentity;
  /** In order of their number. */
  containers: [ContainerFacts, ...ContainerFacts[]];
  /** Whether any Mooring instance manages it. */
  isOurs: boolean;
}

/** Returns the services with the files that their containers wrote outside volumes; none for ours. */
export async function withWrittenFilesOf(
  services: readonly FoundService[],
  look: (containers: readonly ContainerFacts[]) => Promise<ContainerFacts[]>,
): Promise<FoundService[]> {
  const others = services.filter(({ isOurs }) => !isOurs);
  const known = new Map((await look(others.flatMap(({ containers }) => containers))).map((each) => [each.Id, each]));
  return services.map((each) => {
    const [first, ...more] = each.containers.map((container) => known.get(container.Id) ?? container);
    return { ...each, containers: [first!, ...more] };
  });
}

/** Returns the number of its replicas. */
export const foundReplicas = ({ containers }: FoundService): number =>
  containers.reduce((sum, { swarm }) => sum + (swarm?.replicas ?? 1), 0);

const mostName = 200;

/** Groups containers to services: replicas of one compose service are one. */
export function foundServices(containers: readonly ContainerFacts[]): FoundService[] {
  const found = new Map<string, FoundService>();
  // Containers of Mooring that are removed in a moment are no services.
  const lasting = containers.filter(({ Config: { Labels } }) => !(scratchLabel in Labels || copyLabel in Labels));
  const named = lasting.map((container) => ({ container, identity: stackIdentityOf(container) }));
  for (const { container, identity } of named.toSorted(inOrder)) {
    const group = identity.project === null ? null : safeText(identity.project, mostName);
    const service = safeText(identity.service, mostName);
    const isOurs = identity.source === 'mooring';
    const isAlike = identity.source !== 'hand' && !identity.isOneOff && identity.project !== null;
    // Unrelated containers may have equal labels; those stay separate.
    const key = JSON.stringify([group, service, isOurs, isAlike ? '' : container.Id]);
    const before = found.get(key);
    if (before) before.containers.push(container);
    else {
      const name = group === null ? service : `${group}/${service}`;
      found.set(key, { name, service, group, identity, containers: [container], isOurs });
    }
  }
  return [...found.values()];
}

type Named = { container: ContainerFacts; identity: ContainerIdentity };

const inOrder = (a: Named, b: Named): number =>
  Number(a.identity.project === null) - Number(b.identity.project === null) ||
  compare(a.identity.project ?? '', b.identity.project ?? '') ||
  compare(a.identity.service, b.identity.service) ||
  a.identity.number - b.identity.number ||
  compare(a.container.Id, b.container.Id);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
