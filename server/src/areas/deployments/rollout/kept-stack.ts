import { isBroken, type ServiceState, type Stack } from '../model/stack.ts';

type Half = { stack: Stack; states: readonly ServiceState[] };

const nothing: Stack = {
  project: { name: '', services: [], volumes: [], networks: [], configs: [], secrets: [], warnings: [] },
  digests: {},
  contents: {},
  secrets: [],
};

/**
 * Returns the stack of a partial failure that is kept, as it really runs. Broken services are back in their previous
 * version, services that never ran are left out, and removed ones are gone.
 */
export function keptStack(half: Half, before: Half | undefined): { stack: Stack; states: ServiceState[] } {
  const states = half.states.map((state): ServiceState => {
    if (state.change === 'remove') return { ...state, status: 'removed', runsOf: null };
    if (!isBroken(state)) return state;
    const image = before?.states.find(({ name }) => name === state.name)?.image ?? null;
    const { roomBefore: room } = state;
    return { ...state, image: state.runsOf === null ? null : image, ...(room && { room }) };
  });
  const broken = new Map(states.filter(isBroken).map((state) => [state.name, state]));
  const theirs = before?.stack ?? nothing;
  const isThere = (name: string) =>
    (broken.get(name)?.runsOf ?? null) !== null && theirs.project.services.some((service) => service.name === name);
  const { project } = half.stack;
  const services = project.services.filter(({ name }) => !broken.has(name) || isThere(name));
  const running = { ...half.stack, project: { ...project, services } };
  return { stack: withServicesOf(running, theirs, new Set(broken.keys())), states };
}

/**
 * Returns a release that stays active although some of its services could not be rolled back: there, `newer` keeps
 * running.
 */
export function withServicesLeft(release: Half, newer: Half, names: ReadonlySet<string>): Half {
  const states = release.states.map((state) => {
    const left = names.has(state.name) && newer.states.find(({ name }) => name === state.name);
    if (!left) return state;
    const { runsOf, image, isOver = left.status === 'completed', isSilent, room } = left;
    return { ...state, runsOf, image, isOver, ...(isSilent && { isSilent }), ...(room && { room }) };
  });
  return { stack: withServicesOf(release.stack, newer.stack, names), states };
}

/** Replaces some services of a stack with another stack's definitions and files. */
function withServicesOf(mine: Stack, theirs: Stack, names: ReadonlySet<string>): Stack {
  const other = new Map(theirs.project.services.map((service) => [service.name, service]));
  const isTheirs = (name: string) => names.has(name) && other.has(name);
  const services = mine.project.services.map((service) =>
    isTheirs(service.name) ? other.get(service.name)! : service,
  );
  const digestOf = (name: string) => (isTheirs(name) ? theirs : mine).digests[name] ?? '';
  const imageOf = (name: string) => (isTheirs(name) ? theirs : mine).images?.[name] ?? '';
  const filesOf = (name: string) => {
    if (isTheirs(name)) return [[name, theirs.olderContents?.[name] ?? theirs.contents] as const];
    const own = mine.olderContents?.[name];
    return own ? [[name, own] as const] : [];
  };
  return {
    project: {
      ...mine.project,
      services,
      volumes: together(mine.project.volumes, theirs.project.volumes),
      networks: together(mine.project.networks, theirs.project.networks),
      configs: together(mine.project.configs, theirs.project.configs),
      secrets: together(mine.project.secrets, theirs.project.secrets),
    },
    digests: Object.fromEntries(services.map(({ name }) => [name, digestOf(name)])),
    images: Object.fromEntries(services.map(({ name }) => [name, imageOf(name)])),
    contents: mine.contents,
    olderContents: Object.fromEntries(services.flatMap(({ name }) => filesOf(name))),
    secrets: [...new Set([...mine.secrets, ...theirs.secrets])],
  };
}

/** The first of each name wins. */
const together = <T extends { name: string }>(first: T[], then: T[]): T[] => [
  ...first,
  ...then.filter(({ name }) => !first.some((each) => each.name === name)),
];
