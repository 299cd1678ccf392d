import type { ComposeProblem, ComposeProject, ComposeService } from '../../../../compose/index.ts';
import type { ComposePort } from '../../../../compose/service.ts';
import type { EdgeListeningPorts } from '../../model/parts.ts';
import { speaksNoHttp } from '../endpoints/web-ports.ts';

/**
 * Leaves ports of the machine that the edge listens on to the edge, and warns about each. The service is reached there
 * by its address; TLS ends at the edge.
 */
export function withoutEdgePorts(
  project: ComposeProject,
  edge: EdgeListeningPorts,
): { project: ComposeProject; warnings: ComposeProblem[] } {
  const warnings: ComposeProblem[] = [];
  const services = project.services.map((service) => {
    const { name, ports } = service;
    const held = ports.filter((port) => isHeld(port, edge));
    if (!held.length) return service;
    const others = ports.filter((port) => !held.includes(port));
    const plain = held.filter((port) => !isTls(port, edge));
    // Without another port, requests go to the one for TLS.
    const routed = plain.length || others.length ? plain : held;
    for (const port of held)
      warnings.push({ ...port.at, message: `services.${name}.ports: ${sentence(service, port, routed)}` });
    // The first port is the one that requests go to.
    return { ...service, ports: [...routed.map((port) => ({ ...port, published: null, hostIp: null })), ...others] };
  });
  return { project: { ...project, services }, warnings };
}

const isHeld = ({ protocol, published }: ComposePort, { http, tls }: EdgeListeningPorts): boolean =>
  protocol === 'tcp' &&
  published !== null &&
  published.from > 0 &&
  published.from === published.to &&
  [...http, ...tls].includes(published.from);

const isTls = ({ published }: ComposePort, { tls }: EdgeListeningPorts): boolean => tls.includes(published!.from);

function sentence({ name }: ComposeService, port: ComposePort, routed: readonly ComposePort[]): string {
  const held = `port ${port.published!.from} of the machine belongs to Mooring's edge`;
  if (speaksNoHttp(port.target) && port.target !== 443)
    return `${held}, which speaks HTTP only; port ${port.target} of ${name} is not published. Publish it at another port`;
  return routed.includes(port)
    ? `${held}, which sends requests for the address of ${name} to its port ${port.target}`
    : `${held}, where TLS ends; port ${port.target} is not published, and ${name} must not redirect HTTP to HTTPS`;
}
