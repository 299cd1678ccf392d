import {
  capabilityName,
  ComposeError,
  type ComposeProject,
  type HostPort,
  hostPorts,
  type ComposeProblem,
  problemText,
} from '../../../../compose/index.ts';
import { AppError } from '../../../../errors.ts';
import { StepError } from '../../model/model.ts';
import { isTrusted, type Trust } from './trust.ts';
import { realTimeLimits, cloudCapabilities } from '../../limits/service-limits.ts';

/** Turns errors of a compose file into a StepError; returns any other error unchanged. */
export function composeError(error: Error, slug: string): Error {
  if (!(error instanceof AppError) || error.code !== 'bad_request') return error;
  const sentences = error instanceof ComposeError ? error.problems.map(problemText) : [error.message];
  const hint = 'Fix the compose file and deploy again; `docker compose config` shows how it is read.';
  const unset = error instanceof ComposeError ? unsetHint(error, slug) : undefined;
  return new StepError('compose_invalid', sentences.join('\n'), unset ?? hint);
}

function unsetHint({ problems }: ComposeError, slug: string): string | undefined {
  const names = [...new Set(problems.flatMap(({ unset }) => unset?.name ?? []))];
  if (!names.length) return undefined;
  return `Set each of these variables and deploy again: ${names.map((name) => `mooring env set ${slug} ${name}`).join('; ')}.`;
}

/** Rejects two services that publish the same port of the machine, and names both. */
export function requireFreePorts(project: Pick<ComposeProject, 'services'>): void {
  const fixed = hostPorts(project).filter(({ published }) => published!.from === published!.to);
  const problems = fixed.flatMap((port, i): ComposeProblem[] => {
    const other = fixed.slice(0, i).find((before) => isSamePort(before, port));
    if (!other) return [];
    const number = `port ${port.published!.from}${port.protocol === 'tcp' ? '' : `/${port.protocol}`}`;
    const who =
      other.service === port.service ? `${port.service} asks twice` : `${other.service} and ${port.service} both ask`;
    return [{ ...port.at, message: `${who} for ${number} of the machine` }];
  });
  if (problems.length) throw new ComposeError(problems);
}

const isSamePort = (a: HostPort, b: HostPort): boolean =>
  a.protocol === b.protocol && a.published!.from === b.published!.from && shareAddress(a.hostIp, b.hostIp);

const shareAddress = (a: string | null, b: string | null): boolean => isEvery(a) || isEvery(b) || a === b;
const isEvery = (ip: string | null): boolean => ip === null || ip === '0.0.0.0' || ip === '::';

/** Removes published ports, since a cloud's machines are shared, and warns about each. */
export function withoutHostPorts(project: ComposeProject): { project: ComposeProject; warnings: ComposeProblem[] } {
  const warnings = hostPorts(project).map(({ service, published, protocol, at }) => ({
    ...at,
    message:
      `services.${service}.ports: port ${published!.from} of the machine is not available in cloud mode; ` +
      (protocol === 'tcp' ? 'use the address of the project' : `${protocol} is reachable inside the project only`),
  }));
  const services = project.services.map((service) => ({
    ...service,
    ports: service.ports.map((port) => ({ ...port, published: null, hostIp: null })),
  }));
  return { project: { ...project, services }, warnings };
}

/** Removes subnets and fixed addresses, since a cloud's machines are shared, and warns about each. */
export function withoutAddresses(project: ComposeProject): ComposeProject {
  const fixed = project.networks.filter(({ subnet }) => subnet);
  const warnings = fixed.map(({ name, subnet }) => ({
    ...subnet!.at,
    message: `networks.${name}.ipam is ignored in cloud mode: the engine assigns addresses; services find each other by name`,
  }));
  return {
    ...project,
    networks: project.networks.map(({ subnet: _subnet, ...network }) => network),
    services: project.services.map((service) => ({
      ...service,
      networks: service.networks.map(({ address: _address, ...network }) => network),
    })),
    warnings: [...project.warnings, ...warnings],
  };
}

const mostCloudNetworks = 20;

/** Docker has few networks per machine, and each network of a stack takes two. */
export function requireFewNetworks({ networks }: Pick<ComposeProject, 'networks'>): void {
  const first = networks[mostCloudNetworks];
  if (!first) return;
  throw new ComposeError([{ ...first.at, message: `networks: more than ${mostCloudNetworks} of them in cloud mode` }]);
}

/** Warns about fields that are allowed but have no effect here, so that they are not dropped silently. */
export function ignoredFieldWarnings({ services }: ComposeProject, trust: Trust): ComposeProblem[] {
  return services.flatMap(({ name, at, places, isolation, ...service }): ComposeProblem[] => {
    const { externalLinks, replicas, ulimits } = service;
    const tell = (field: string, why: string): ComposeProblem => {
      const { file, line } = places[field] ?? at;
      return { file, line, message: `services.${name}.${field} is ignored: ${why}` };
    };
    const shared = (['pid', 'ipc'] as const).filter((field) => isolation[field]?.startsWith('service:'));
    const isOpen = !isTrusted(trust) && ['none', 'shareable'].includes(isolation.ipc ?? '');
    const refused =
      trust.mode === 'cloud' ? isolation.capAdd.filter((name) => !cloudCapabilities.has(capabilityName(name))) : [];
    return [
      ...shared.map((field) => tell(field, 'each service has its own namespace')),
      ...(isOpen ? [tell('ipc', 'it is private, except in a trusted project')] : []),
      ...(refused.length ? [tell('cap_add', `${refused.join(', ')}: containers cannot have this in cloud mode`)] : []),
      ...(trust.mode === 'cloud' && realTimeLimits.some((each) => Object.hasOwn(ulimits, each))
        ? [tell('ulimits', `${realTimeLimits.join(', ')}: priorities do not exist in cloud mode`)]
        : []),
      ...(externalLinks.length ? [tell('external_links', 'put both on an external network')] : []),
      ...(replicas > 1 ? [tell(places['scale'] ? 'scale' : 'deploy', `it has one replica, not ${replicas}`)] : []),
    ];
  });
}

/**
 * Rejects fields that cannot work even for a trusted project: paths outside the copied source, and containers that
 * their owners may replace at any moment.
 */
export function rejectUnworkableFields(project: ComposeProject): void {
  const problems = project.services.flatMap((service): ComposeProblem[] => {
    const at = (field: string) => service.places[field] ?? service.at;
    const modes = [service.networkMode, service.isolation.pid, service.isolation.ipc];
    const names = [...modes, ...service.volumesFrom.map((from) => from.service)];
    const foreign = names.filter((name) => name?.startsWith('container:'));
    const outside = service.mounts.filter(
      (mount) => mount.type === 'bind' && !mount.source.isInside && !mount.source.path.startsWith('/'),
    );
    const context = service.build?.context;
    return [
      ...foreign.map((name) => ({
        ...service.at,
        message: `services.${service.name}: ${name} does not belong to this project`,
      })),
      ...outside.map((mount) => ({
        ...mount.at,
        message: `services.${service.name}.volumes: a path outside the source must be absolute`,
      })),
      ...(context && !context.isInside
        ? [{ ...at('build'), message: `services.${service.name}.build: the context must be a folder of the source` }]
        : []),
    ];
  });
  if (problems.length) throw new ComposeError(problems);
}
