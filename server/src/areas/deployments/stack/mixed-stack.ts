import type { Stack } from './model.ts';

/** A stack with some of its services as another one has them: how they are made, and the files that they see. */
export function withServicesOf(mine: Stack, theirs: Stack, names: ReadonlySet<string>): Stack {
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

/** The first of each name. */
const together = <T extends { name: string }>(first: T[], then: T[]): T[] => [
  ...first,
  ...then.filter(({ name }) => !first.some((each) => each.name === name)),
];
