import { type Client, type Schemas, unwrap } from '@mooring/client';
import { type Deployment, type Project, requireService } from '../deployments/find.ts';
import { UsageError } from '../errors.ts';

export type Endpoint = Schemas['PublicEndpoint'];

/** A service of the release, and where it is public. */
export type PublicService = { service: string; urls: string[] };

/** `web`, or `web:3000`. */
export function parseEndpoint(text: string): Endpoint {
  const [, service = '', port] = /^(.+?)(?::(\d+))?$/s.exec(text) ?? [];
  if (!service || (port !== undefined && !isPort(Number(port))))
    throw new UsageError(`${text} must be a service, or a service with its port: web:3000`);
  return { service, ...(port !== undefined && { port: Number(port) }) };
}

/** Whether no service is public, whatever the source says. */
export const hasNoPublicService = (endpoints: readonly Endpoint[]): boolean => endpoints.some(({ none }) => none);

export const isPort = (port: number): boolean => Number.isInteger(port) && port > 0 && port < 65_536;

export async function saveEndpoints(client: Client, { id }: Project, publicEndpoints: Endpoint[]): Promise<Project> {
  const params = { path: { id } };
  return (await unwrap(client.PATCH('/api/projects/{id}', { params, body: { publicEndpoints } }))).data;
}

/** A service that the release lacks is probably a typing error. */
export function requireServices(release: Deployment | undefined, endpoints: readonly Endpoint[]): void {
  if (release) for (const { service } of endpoints) if (service) requireService(release, service);
}

/** The services of a release with their addresses. */
export async function publicServicesOfRelease(client: Client, { id, services }: Deployment): Promise<PublicService[]> {
  const { data } = await unwrap(client.GET('/api/deployments/{id}/info', { params: { path: { id } } }));
  return services.map(({ name }) => ({
    service: name,
    urls: data.containers.find(({ service }) => service === name)?.urls ?? [],
  }));
}
