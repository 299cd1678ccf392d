import type { EngineClient } from '../docker/engine/client.ts';
import { EngineError } from '../docker/engine/errors.ts';
import type { ServiceInfo, ServiceSpec } from './types.ts';

/** Registry credentials as the engine expects them. */
export type RegistryAuth = string | undefined;

const mostTries = 20;

/** Changes a service. `change` is called again with the current spec if somebody else changed it meanwhile. */
export async function updateService(
  engine: EngineClient,
  info: ServiceInfo,
  change: (spec: ServiceSpec) => ServiceSpec,
  auth?: RegistryAuth,
): Promise<void> {
  const path = `/services/${encodeURIComponent(info.ID)}`;
  for (let [tries, current] = [1, info]; ; tries++) {
    const query = { version: current.Version.Index, ...(!auth && { registryAuthFrom: 'spec' }) };
    const body = change(current.Spec);
    try {
      await engine.json({ method: 'POST', path: `${path}/update`, query, body, headers: encodedAuthHeader(auth) });
      return;
    } catch (error) {
      const isOutdated = error instanceof EngineError && /out of sequence/i.test(error.message);
      if (!isOutdated || tries === mostTries) throw error;
      current = await engine.json<ServiceInfo>({ method: 'GET', path });
    }
  }
}

export const encodedAuthHeader = (auth: RegistryAuth): Record<string, string> =>
  auth ? { 'x-registry-auth': auth } : {};
