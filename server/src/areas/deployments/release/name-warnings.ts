import type { DomainNames } from '../../domains/port.ts';
import { hostLabel } from '../../projects/port.ts';
import { customNameOf } from './addresses.ts';
import type { DeploymentConfig } from '../model/model.ts';
import type { StepContext } from '../model/step.ts';

type Wanted = NonNullable<DeploymentConfig['publicEndpoints']>;

/**
 * Warns about domains that do not reach the release, and why. They do not fail the deployment, because the cause may
 * be fixed at any time. `services` are those of a stack.
 */
export function warnAboutNames(
  { log, config, deployment, parts }: Pick<StepContext, 'log' | 'config' | 'deployment' | 'parts'>,
  names: DomainNames,
  services?: readonly string[],
): void {
  const usual = `${hostLabel(config.slug, deployment.environment)}.${parts.baseDomain}`;
  const lines = [
    ...names.own.flatMap(({ name, problem }) => (problem ? [`${name} is not reachable yet: ${problem}`] : [])),
    ...[usual, ...names.own.map(({ name }) => name)].filter((host) => names.isInstance(host)).map(shadowing),
    ...names.own.flatMap(({ name, service }) =>
      services && service !== null && !services.includes(service) ? [noService(name, service, services)] : [],
    ),
    ...notOwned(config.publicEndpoints ?? [], names),
  ];
  for (const line of lines) log(line, 'warn');
}

const shadowing = (host: string): string =>
  `${host} is the address of this instance itself, so the project does not serve it; choose another slug or domain`;

const noService = (name: string, service: string, services: readonly string[]): string =>
  `${name} is not served: there is no service ${service} (services: ${services.join(', ')}); choose another service for the domain, or deploy one with that name`;

function notOwned(wanted: Wanted, { own }: DomainNames): string[] {
  const asked = new Set(wanted.map(customNameOf).filter((name) => name !== undefined));
  return [...asked]
    .filter((name) => !own.some((each) => each.name === name))
    .map(
      (name) =>
        `${name} in publicEndpoints is not a domain of this environment: it was removed, or belongs to another project`,
    );
}
