import type { EngineClient } from '../engine/client.ts';
import { undefinedIfGone } from '../engine/errors.ts';

type Endpoint = { NetworkID?: string; Aliases?: string[] | null };
type Inspected = {
  Id: string;
  Config: { Labels: Record<string, string> | null };
  NetworkSettings: { Networks: Record<string, Endpoint> | null };
};

const builtIn = new Set(['bridge', 'host', 'none']);

/** Repairs networks that a prune removed while the container was stopped, because it could never start again.
 * Recreates them, reconnects the container and returns their names. */
export async function repairNetworks(engine: EngineClient, containerId: string): Promise<string[]> {
  const path = `/containers/${encodeURIComponent(containerId)}/json`;
  const found = await undefinedIfGone(engine.json<Inspected>({ method: 'GET', path }));
  const mended: string[] = [];
  for (const [name, endpoint] of Object.entries(found?.NetworkSettings.Networks ?? {})) {
    if (builtIn.has(name) || !endpoint.NetworkID || (await isThere(engine, endpoint.NetworkID))) continue;
    if (!(await isThere(engine, name))) {
      const body = { Name: name, CheckDuplicate: true, Labels: composeLabelsFor(name, found!.Config.Labels ?? {}) };
      await engine.json({ method: 'POST', path: '/networks/create', body });
    }
    // The container refers to the removed network by its id.
    const at = `/networks/${encodeURIComponent(name)}`;
    await engine.json({ method: 'POST', path: `${at}/disconnect`, body: { Container: found!.Id, Force: true } });
    const EndpointConfig = { Aliases: (endpoint.Aliases ?? []).filter((alias) => !found!.Id.startsWith(alias)) };
    await engine.json({ method: 'POST', path: `${at}/connect`, body: { Container: found!.Id, EndpointConfig } });
    mended.push(name);
  }
  return mended;
}

const isThere = async (engine: EngineClient, network: string): Promise<boolean> =>
  (await undefinedIfGone(engine.json({ method: 'GET', path: `/networks/${encodeURIComponent(network)}` }))) !==
  undefined;

/** Docker Compose recognizes its network by these labels. */
function composeLabelsFor(network: string, labels: Record<string, string>): Record<string, string> {
  const project = labels['com.docker.compose.project'];
  if (!project || !network.startsWith(`${project}_`)) return {};
  return {
    'com.docker.compose.project': project,
    'com.docker.compose.network': network.slice(project.length + 1),
  };
}
