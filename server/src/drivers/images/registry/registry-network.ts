import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import type { NetworkInfo } from '../../runtime/docker/engine/types.ts';
import { instanceFilter, registryRole, roleLabel } from '../../runtime/docker/labels.ts';
import { registryLabels, registryServiceName } from './registry-spec.ts';

/** Returns the network of our own registry. Only the registry and our edges join it. */
export async function registryNetwork(engine: EngineClient, instanceId: string): Promise<string> {
  const find = async () => {
    const query = { filters: instanceFilter(instanceId) };
    const all = await engine.json<NetworkInfo[]>({ method: 'GET', path: '/networks', query });
    const own = all.filter(({ Labels }) => Labels?.[roleLabel] === registryRole);
    // Of two that were created at once, all use the older one.
    return own.toSorted((a, b) => (a.Created < b.Created ? -1 : 1))[0]?.Id;
  };
  const known = await find();
  if (known) return known;
  const body = {
    Name: registryServiceName(instanceId),
    Driver: 'overlay',
    Attachable: true,
    Internal: true,
    Labels: registryLabels(instanceId),
  };
  await engine.json({ method: 'POST', path: '/networks/create', body });
  return (await find())!;
}
