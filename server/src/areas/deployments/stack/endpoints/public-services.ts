import type { DeploymentConfig } from '../../model/model.ts';
import type { EndpointCandidate } from '../../model/stack.ts';
import { hasNoPublicService } from '../../../projects/port.ts';
import { endpointsOf, type EndpointService } from './endpoints.ts';

/** A service that is public, or can be. */
export interface ReachableService {
  service: string;
  /** Null: the port that its image exposes, which is known once the image is there. */
  port: number | null;
  /** Why it is or can be public. */
  reason: string;
  /** Whether it is public if nobody chooses. */
  isPublic: boolean;
}

/** Which services of a stack are public. */
export interface PublicServices {
  services: ReachableService[];
  /** Asked if several services can be public and the source does not say which one is. */
  question: string | null;
  /** Set if no service can be public. */
  warning: string | null;
}

const nowhere = { label: '', baseDomain: '' };

/** Returns the services that are public without settings, and those that can be. */
export function publicServicesOf(
  services: readonly EndpointService[],
  candidates: readonly EndpointCandidate[],
): PublicServices {
  const published = endpointsOf(services, [], nowhere);
  if (published.length)
    return {
      services: published.map(({ service, port }) => {
        const reason = port === null ? 'it is an app' : `it publishes port ${port}`;
        return { service, port, reason, isPublic: true };
      }),
      question: null,
      warning: null,
    };
  const chosen = new Set(endpointsOf(services, [], { ...nowhere, candidates }).map(({ service }) => service));
  const isGuess = candidates.length > 1 && !candidates.some(({ isMeant }) => isMeant);
  return {
    services: candidates.map(({ service, port, usual, reason }) => ({
      service,
      port: port ?? usual,
      reason,
      isPublic: chosen.has(service),
    })),
    question: isGuess ? 'No service publishes a port. Which service should be public?' : null,
    warning: candidates.length ? null : noPublicServiceText('<project>'),
  };
}

export const chooseEndpointCommand = (slug: string): string => `mooring endpoint set ${slug} <service>:<port>`;

/** `silent`: the service that was taken for the public one. */
export const noPublicServiceText = (slug: string, silent?: string): string =>
  'No service of this stack can be reached: none publishes a port for HTTP' +
  `${silent === undefined ? '' : `, and ${silent} does not answer as a web server`}. If one should be public, add its ` +
  `port to \`ports\` in the compose file, or choose it: ${chooseEndpointCommand(slug)}. If none should be: ` +
  `mooring endpoint set ${slug} none`;

/** Says which services a deployment makes public although they publish no port. */
export function publicServiceLines(
  services: readonly EndpointService[],
  { slug, publicEndpoints = [] }: Pick<DeploymentConfig, 'slug' | 'publicEndpoints'>,
  candidates: readonly EndpointCandidate[],
): string[] {
  if (hasNoPublicService(publicEndpoints)) return ['No service is public, as set for the project'];
  if (publicEndpoints.some(({ service }) => service !== undefined)) return [];
  if (endpointsOf(services, [], nowhere).length) return [];
  const { services: reachable, question } = publicServicesOf(services, candidates);
  const lines = reachable
    .filter(({ isPublic }) => isPublic)
    .map(({ service, port, reason }) => {
      const where = port === null ? 'on the port that its image exposes' : `on port ${port}`;
      return `No service publishes a port; ${service} is public ${where}: ${reason}`;
    });
  if (question === null) return lines;
  const others = reachable.filter(({ isPublic }) => !isPublic).map(({ service }) => service);
  return [...lines, `${others.join(', ')} could be public instead. To choose: ${chooseEndpointCommand(slug)}`];
}
