import type { ContainerFacts } from '../../../drivers/runtime/docker/survey/answers.ts';
import { type Identity, stackIdentityOf } from './platforms.ts';
import { safeText } from './shown.ts';

/** A service as it runs on a machine: a container, or several alike. */
export interface FoundService {
  /** What it is named by in a request: `group/service`, or the service alone where there is no group. */
  name: string;
  service: string;
  group: string | null;
  identity: Identity;
  /** The first of several comes first. */
  containers: [ContainerFacts, ...ContainerFacts[]];
  /** Whether Mooring made it, whichever instance that was. */
  isOurs: boolean;
}

const mostName = 200;

/** Containers as services: several of one compose service are one. */
export function foundServices(containers: readonly ContainerFacts[]): FoundService[] {
  const found = new Map<string, FoundService>();
  const named = containers.map((container) => ({ container, identity: stackIdentityOf(container) }));
  for (const { container, identity } of named.toSorted(inOrder)) {
    const group = identity.project === null ? null : safeText(identity.project, mostName);
    const service = safeText(identity.service, mostName);
    const isOurs = identity.source === 'mooring';
    const isAlike = identity.source !== 'hand' && !identity.isOneOff && identity.project !== null;
    // Labels may say the same of containers that have nothing to do with each other; then each is on its own.
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

type Named = { container: ContainerFacts; identity: Identity };

const inOrder = (a: Named, b: Named): number =>
  Number(a.identity.project === null) - Number(b.identity.project === null) ||
  compare(a.identity.project ?? '', b.identity.project ?? '') ||
  compare(a.identity.service, b.identity.service) ||
  a.identity.number - b.identity.number ||
  compare(a.container.Id, b.container.Id);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
