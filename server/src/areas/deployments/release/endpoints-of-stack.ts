import type { DomainNames } from '../../domains/port.ts';
import { hostLabel } from '../../projects/port.ts';
import { type ReleaseAddress, addressesOf } from './addresses.ts';
import type { DeploymentConfig } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import type { DeploymentRow } from '../model/store.ts';
import { type ServiceEndpoint, endpointsOf } from '../stack/endpoints/endpoints.ts';
import { appService, type ServiceState, type Stack } from '../model/stack.ts';

type AddressContext = {
  parts: Pick<Parts, 'baseDomain'>;
  config: DeploymentConfig;
  environment: DeploymentRow['environment'];
};

/** Definition of the services, and their states with the images as far as they exist. */
type Services = { stack: Stack; states: readonly ServiceState[] };

/** Returns the public services of a stack. An app serves every endpoint, whatever service it names. */
export function endpointsOfStack(
  { parts, config, environment }: AddressContext,
  { stack, states }: Services,
): ServiceEndpoint[] {
  const { project, app, candidates } = stack;
  const label = hostLabel(config.slug, environment);
  if (app)
    return [{ service: appService, host: `${label}.${parts.baseDomain}`, port: null, isPrimary: true, isGuess: false }];
  const endpoints = endpointsOf(project.services, config.publicEndpoints ?? [], {
    label,
    baseDomain: parts.baseDomain,
    candidates,
    images: new Map(states.flatMap(({ name, image }) => (image ? [[name, image]] : []))),
  });
  const silent = new Set(states.flatMap(({ name, isSilent }) => (isSilent ? [name] : [])));
  // The primary address comes first.
  return endpoints
    .filter(({ service, isGuess }) => !isGuess || !silent.has(service))
    .toSorted((one, other) => Number(other.isPrimary) - Number(one.isPrimary));
}

/** Returns their addresses, custom domains included. */
export function addressesOfStack(
  of: AddressContext,
  services: Services,
  names: DomainNames,
): (ReleaseAddress & { service: string })[] {
  const { baseDomain } = of.parts;
  const usual = endpointsOfStack(of, services);
  const wanted = of.config.publicEndpoints ?? [];
  if (services.stack.app) {
    const ofApp = usual.map((each) => ({ ...each, service: null }));
    return addressesOf(ofApp, { baseDomain, wanted, names }).map((address) => ({ ...address, service: appService }));
  }
  const all = addressesOf(usual, { baseDomain, wanted, names });
  return all.flatMap((address) => (address.service === null ? [] : [{ ...address, service: address.service }]));
}
