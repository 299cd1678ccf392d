import { isBroken, type ServiceState, type Stack } from './model.ts';

type Half = { stack: Stack; states: readonly ServiceState[] };

/** A deployment that came out half and is kept: what it says of its services is what really runs. The broken ones are again
 * what they were before; those that never ran are left out, and those that were to go have gone. */
export function keptStack(half: Half, before: Half | undefined): { stack: Stack; states: ServiceState[] } {
  const states = half.states.map((state): ServiceState => {
    if (state.change === 'remove') return { ...state, status: 'removed', runsOf: null };
    if (!isBroken(state)) return state;
    const image = before?.states.find(({ name }) => name === state.name)?.image ?? null;
    return { ...state, image: state.runsOf === null ? null : image };
  });
  const broken = new Map(states.filter(isBroken).map((state) => [state.name, state]));
  const old = (name: string) => before?.stack.project.services.find((service) => service.name === name);
  const services = half.stack.project.services.flatMap((service) => {
    const state = broken.get(service.name);
    if (!state) return [service];
    const was = state.runsOf === null ? undefined : old(service.name);
    return was ? [was] : [];
  });
  const isAgain = (name: string) => broken.has(name) && services.some((service) => service.name === name);
  const digests = Object.fromEntries(
    services.map(({ name }) => [name, (isAgain(name) ? before!.stack : half.stack).digests[name] ?? '']),
  );
  const mine = half.stack;
  const theirs = before?.stack;
  return {
    stack: {
      project: {
        ...mine.project,
        services,
        volumes: together(mine.project.volumes, theirs?.project.volumes),
        networks: together(mine.project.networks, theirs?.project.networks),
        configs: together(mine.project.configs, theirs?.project.configs),
        secrets: together(mine.project.secrets, theirs?.project.secrets),
      },
      digests,
      contents: mine.contents,
      olderContents: Object.fromEntries(
        services
          .filter(({ name }) => isAgain(name))
          .map(({ name }) => [name, theirs!.olderContents?.[name] ?? theirs!.contents]),
      ),
      secrets: [...new Set([...mine.secrets, ...(theirs?.secrets ?? [])])],
    },
    states,
  };
}

/** The first of each name. */
const together = <T extends { name: string }>(first: T[], then: T[] | undefined): T[] => [
  ...first,
  ...(then ?? []).filter(({ name }) => !first.some((each) => each.name === name)),
];
