import { hostLabel } from '../../projects/host-names/host-names.ts';
import type { DeploymentConfig } from '../model.ts';
import type { Parts } from '../parts.ts';
import type { DeploymentRow } from '../store.ts';
import { type Endpoint, endpointsOf } from './endpoints.ts';
import type { Stack } from './model.ts';

/** Where a service of a stack is reached. */
export type StackEndpoint = Endpoint & { path: string };

type Of = { parts: Pick<Parts, 'baseDomain'>; config: DeploymentConfig; environment: DeploymentRow['environment'] };

export function endpointsOfStack({ parts, config, environment }: Of, { project }: Stack): StackEndpoint[] {
  const label = hostLabel(config.slug, environment);
  const endpoints = endpointsOf(project.services, config.publicEndpoints ?? [], {
    label,
    baseDomain: parts.baseDomain,
  });
  // The address that people open first comes first.
  return endpoints
    .toSorted((one, other) => Number(other.isPrimary) - Number(one.isPrimary))
    .map((endpoint) => ({ ...endpoint, path: '/' }));
}
