import type { ContainerFacts } from '../../../drivers/runtime/docker/survey/answers.ts';
import type { ServiceFields, FoundContainer } from './service-fields.ts';
import { fieldUnlessEmpty } from './service-fields.ts';

/** A container port, and the host port if published. */
export interface FoundPort {
  target: number;
  protocol: string;
  /** Null if the engine picks one at each start. */
  published: number | null;
  hostIp: string | null;
}

const usualAddresses = ['', '0.0.0.0', '::'];

export function publishedPorts({ HostConfig }: ContainerFacts): FoundPort[] {
  const found = Object.entries(HostConfig.PortBindings).flatMap(([inside, bindings]) => {
    const [target, protocol = 'tcp'] = inside.split('/');
    return bindings.map(({ HostIp, HostPort }) => ({
      target: Number(target),
      protocol,
      published: Number(HostPort) || null,
      hostIp: usualAddresses.includes(HostIp) ? null : HostIp,
    }));
  });
  // A port published on IPv4 and IPv6 counts once.
  return [...new Map(found.map((port) => [JSON.stringify(port), port])).values()];
}

export const portFields = ({ container }: FoundContainer): ServiceFields =>
  fieldUnlessEmpty(
    'ports',
    publishedPorts(container).map(({ target, protocol, published, hostIp }) => ({
      target,
      protocol,
      ...(published !== null && { published }),
      ...(hostIp !== null && { host_ip: hostIp }),
    })),
  );
