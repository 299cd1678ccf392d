import type { ContainerFacts } from '../../../drivers/runtime/docker/survey/answers.ts';
import { networkFields, ownNetworksOf, type PlannedNetwork } from './networks.ts';
import type { ServiceFields } from './service-fields.ts';
import { fieldUnlessEmpty } from './service-fields.ts';

/** Returns the project's name of the service that a container reference means; undefined if it is not adopted. */
export type FindServiceKey = (reference: string) => string | undefined;

/** Fields that may refer to another container. */
export const namespaceFields = ['pid', 'ipc', 'network_mode'];
const ofContainer = /^container:(.+)$/s;

/** Replaces `container:id` with `service:name` if that container is adopted as well. */
export function withSharedNamespaces(fields: ServiceFields, keyOf: FindServiceKey): ServiceFields {
  const found = namespaceFields.flatMap((name) => {
    const mode = fields[name];
    const [, reference] = (typeof mode === 'string' && ofContainer.exec(mode)) || [];
    const key = reference && keyOf(reference);
    return key ? [[name, `service:${key}`]] : [];
  });
  return { ...fields, ...Object.fromEntries(found) };
}

/** Returns the containers whose network, PID or IPC namespace it shares. */
export const namespaceOwners = ({ HostConfig: { NetworkMode, PidMode, IpcMode } }: ContainerFacts): string[] =>
  [...new Set([NetworkMode, PidMode, IpcMode])].flatMap((mode) => ofContainer.exec(mode)?.[1] ?? []);

/** Returns host name, DNS and network fields. */
export function networkPlacement(
  container: ContainerFacts,
  key: string,
  { plan, keyOf }: { plan: Map<string, PlannedNetwork>; keyOf: FindServiceKey },
): ServiceFields {
  const { HostConfig: host, Config } = container;
  const links = host.Links.flatMap((link) => {
    const [from = '', to = ''] = link.split(':');
    const other = keyOf(from);
    return other ? [`${other}:${to.split('/').at(-1)}`] : [];
  });
  const names = {
    // The default host name is the beginning of the id.
    ...fieldUnlessEmpty('hostname', Config.Hostname && container.Id.startsWith(Config.Hostname) ? '' : Config.Hostname),
    ...fieldUnlessEmpty('domainname', Config.Domainname),
    ...fieldUnlessEmpty('dns', host.Dns),
    ...fieldUnlessEmpty('dns_opt', host.DnsOptions),
    ...fieldUnlessEmpty('dns_search', host.DnsSearch),
    ...fieldUnlessEmpty('extra_hosts', host.ExtraHosts),
    ...fieldUnlessEmpty('links', links),
  };
  if (host.NetworkMode === 'host') {
    const { hostname: _, ...others } = names as ServiceFields;
    return { ...others, network_mode: 'host' };
  }
  if (host.NetworkMode === 'none') return { ...names, network_mode: 'none' };
  if (ofContainer.test(host.NetworkMode)) return withSharedNamespaces({ network_mode: host.NetworkMode }, keyOf);
  return { ...names, ...(ownNetworksOf(container).length ? networkFields(container, key, plan) : {}) };
}
