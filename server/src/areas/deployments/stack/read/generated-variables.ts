import {
  type ComposeOptions,
  type ComposeProject,
  type ComposeService,
  parseCompose,
} from '../../../../compose/index.ts';
import { type AddressValue, generatedValue } from '../../../../compose/values/generated.ts';
import type { SourceTree } from '../../../../detect/detect.ts';
import { AppError } from '../../../../errors.ts';
import { StepError } from '../../model/model.ts';
import { endpointsOf } from '../endpoints/endpoints.ts';
import { type Blueprint, blueprintIn } from './blueprint.ts';
import type { StackInput } from './input.ts';

const most = 100;

type Generating = Pick<StackInput, 'config' | 'address' | 'keepVariables' | 'generated'>;

/**
 * Parses a compose file whose variables may ask for generated values. Random ones become variables of the project, so
 * that every later deployment has the same; addresses follow the services.
 */
export async function parseGenerating(
  tree: SourceTree,
  options: ComposeOptions & { environment: Record<string, string> },
  input: Generating,
): Promise<ComposeProject> {
  const blueprint = await blueprintIn(tree, options.folder ?? '');
  if (!blueprint) return parseNamed(tree, options, input);
  // The addresses of services are known only after the file was read once.
  const before = blueprint.environment(() => '-');
  const likely = { ...before.plain, ...before.random, ...options.environment };
  const first = withPublicPorts(await parseCompose(tree, { ...options, environment: likely }), blueprint);
  const hostOf = (service: string | undefined) => hostIn(first.services, service, input);
  const { plain, random } = blueprint.environment(hostOf);
  const kept = await keptValues(random, options.environment, input);
  const environment = { ...plain, ...kept, ...options.environment };
  const project = await parseNamed(tree, { ...options, environment }, input);
  return blueprint.withFiles(withPublicPorts(project, blueprint), hostOf, environment);
}

/** Random values that the project does not have yet become its variables. */
async function keptValues(
  random: Readonly<Record<string, string>>,
  known: Readonly<Record<string, string>>,
  { keepVariables, generated }: Generating,
): Promise<Record<string, string>> {
  const missing = Object.entries(random).filter(([name]) => !Object.hasOwn(known, name));
  const kept = missing.length ? await keepVariables(Object.fromEntries(missing)).catch(notKept) : {};
  generated.push(...Object.values(kept));
  return kept;
}

export function notKept(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'bad_request') throw error;
  throw new StepError(
    'too_many_variables',
    `The variables that the source asks to generate cannot be stored: ${error.message}`,
    'Remove variables that are not used from the project, and deploy again.',
  );
}

/** The domains of a blueprint name the ports of services that are public. */
export const withPublicPorts = (project: ComposeProject, { domains }: Blueprint): ComposeProject =>
  withPorts(project, new Map(domains.flatMap(({ service, port }) => (port === null ? [] : [[service, port]]))));

function hostIn(
  services: readonly ComposeService[],
  service: string | undefined,
  { config, address }: Generating,
): string {
  const endpoints = endpointsOf(services, config.publicEndpoints ?? [], address);
  const endpoint = endpoints.find((each) => each.service === service) ?? endpoints.find(({ isPrimary }) => isPrimary);
  return address.of(endpoint?.host ?? `${address.label}.${address.baseDomain}`, endpoint?.isPrimary ?? true).host;
}

async function parseNamed(
  tree: SourceTree,
  options: ComposeOptions & { environment: Record<string, string> },
  input: Generating,
): Promise<ComposeProject> {
  const names = new Set<string>();
  const generate = (name: string): string | undefined => {
    if (!generatedValue(name)) return undefined;
    names.add(name);
    return '-';
  };
  const first = await parseCompose(tree, { ...options, generate });
  const asked = addressesIn(first);
  for (const name of asked) names.add(name);
  if (!names.size) return first;
  if (names.size > most) throw new StepError('compose_invalid', `more than ${most} variables ask for generated values`);
  const made = await keptValues(randomValues([...names]), {}, input);
  const addresses = addressValues([...names], withAddressedPorts(first), input);
  const environment = { ...addresses, ...made, ...options.environment };
  return withPaths(withAddressedPorts(await parseCompose(tree, { ...options, environment })), environment);
}

/** Returns the variables of services that ask for an address: `- SERVICE_URL_WEB_3000=/path`. */
const addressesIn = ({ services }: ComposeProject): string[] =>
  services.flatMap(({ environment }) => Object.keys(environment).filter((name) => addressOf(name)));

function randomValues(names: readonly string[]): Record<string, string> {
  const values = names.flatMap((name) => {
    const value = generatedValue(name);
    return value?.is === 'random' ? [[name, value.make()] as const] : [];
  });
  return Object.fromEntries(values);
}

function addressValues(
  names: readonly string[],
  { services }: ComposeProject,
  { config, address }: Generating,
): Record<string, string> {
  const endpoints = endpointsOf(services, config.publicEndpoints ?? [], address);
  const values = names.flatMap((name) => {
    const asked = addressOf(name);
    if (!asked) return [];
    const service = serviceFor(asked, name, services)?.name;
    const endpoint = endpoints.find((each) => each.service === service) ?? endpoints.find(({ isPrimary }) => isPrimary);
    const { host, url } = address.of(
      endpoint?.host ?? `${address.label}.${address.baseDomain}`,
      endpoint?.isPrimary ?? true,
    );
    return [[name, asked.form === 'url' ? url : host] as const];
  });
  return Object.fromEntries(values);
}

/** A port in the name of such a variable is the port that requests go to. */
function withAddressedPorts(project: ComposeProject): ComposeProject {
  const { services } = project;
  const ports = new Map<string, number>();
  for (const name of addressesIn(project)) {
    const asked = addressOf(name);
    const service = asked && serviceFor(asked, name, services)?.name;
    if (service !== undefined && asked?.port && !ports.has(service)) ports.set(service, asked.port);
  }
  return withPorts(project, ports);
}

/** Makes one port of each of these services the one that requests go to. */
function withPorts(project: ComposeProject, ports: ReadonlyMap<string, number>): ComposeProject {
  return {
    ...project,
    services: project.services.map((service) => {
      const target = ports.get(service.name);
      if (target === undefined) return service;
      const { places, at } = service;
      const own = service.ports.find((port) => port.target === target && port.protocol === 'tcp');
      const port = own ?? {
        target,
        published: null,
        hostIp: null,
        protocol: 'tcp' as const,
        at: places['environment'] ?? at,
      };
      return {
        ...service,
        ports: [{ ...port, isWeb: true as const }, ...service.ports.filter((each) => each !== own)],
      };
    }),
  };
}

/** Appends the path of `SERVICE_URL_WEB_3000=/path` to the address. */
const withPaths = (project: ComposeProject, values: Readonly<Record<string, string>>): ComposeProject => ({
  ...project,
  services: project.services.map((service) => {
    const environment = Object.entries(service.environment).map(([name, value]) =>
      addressOf(name) && value?.startsWith('/') ? [name, `${values[name] ?? ''}${value}`] : [name, value],
    );
    return { ...service, environment: Object.fromEntries(environment) as ComposeService['environment'] };
  }),
});

function addressOf(name: string): AddressValue | undefined {
  const value = generatedValue(name);
  return value?.is === 'address' ? value : undefined;
}

/** Returns the service with that name, or else the one that has the variable. */
function serviceFor({ service }: AddressValue, name: string, services: readonly ComposeService[]) {
  const plain = (text: string) => text.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  return (
    services.find((each) => plain(each.name) === plain(service)) ??
    services.find(({ environment }) => Object.hasOwn(environment, name))
  );
}
