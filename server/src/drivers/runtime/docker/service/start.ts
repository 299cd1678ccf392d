import type { ImageRelease, ServiceOptions } from '../../runtime.ts';
import type { ImageInfo } from '../engine/types.ts';
import { namedLabel } from '../labels.ts';
import type { OwnContainer } from '../own-containers.ts';
import type { StartParts } from '../release/create.ts';
import { serviceBody } from './body.ts';
import type { MountSettings } from './mounts.ts';

/** Creates the container of a service with its networks and volumes. Does not start it. */
export async function createServiceContainerOf(
  parts: StartParts,
  spec: ImageRelease,
  { name, port, image, mounts }: { name: string; port: number | undefined; image: ImageInfo; mounts: MountSettings },
): Promise<OwnContainer> {
  const { containers, networks, host, engineLogs, init } = parts;
  const { service: options } = spec;
  const networkMode = await networkModeOf(parts, options);
  const isReached = port !== undefined || options.ports.length > 0;
  return networks.within(spec.owner, options, isReached && networkMode === undefined, async (endpoints) => {
    const place = {
      image,
      endpoints: networkMode === undefined ? endpoints : [],
      networkMode,
      host,
      port,
      mounts,
      engineLogs,
      init,
    };
    const created = await containers.create(name, serviceBody(spec, place));
    try {
      for (const { network, config } of place.endpoints.slice(1)) await containers.connect(created, network, config);
    } catch (error) {
      await containers.remove(created);
      throw error;
    }
    return created;
  });
}

/** Whether it is reached by an allocated port. On the host's network it listens on its own port, and another
 * container's network is not ours to publish. */
export const hasOwnPort = ({ listensOn, service }: ImageRelease): boolean =>
  listensOn !== null && service.networkMode === null;

/** Whether the container of the same release may be started again. One that never ran may lack a network if its
 * creation was interrupted. One with aliases from its start would have them again. */
export function isReusable(
  { made }: Pick<StartParts, 'made'>,
  { info }: OwnContainer,
  options: ServiceOptions,
): boolean {
  const isWhole = info.State.Status !== 'created' || made.has(info.Id);
  return isWhole && (options.isNamedAtOnce || !info.Config.Labels?.[namedLabel]);
}

/** Whether it is done: it ran, was not stopped by us, and must not be restarted. */
export function isFinishedContainer({ info }: OwnContainer, wasStopped: boolean, options: ServiceOptions): boolean {
  if (wasStopped || info.State.Status !== 'exited') return false;
  const { policy } = options.restart;
  return policy === 'no' || (policy === 'on-failure' && info.State.ExitCode === 0);
}

async function networkModeOf(
  { containers, nameOf }: StartParts,
  { networkMode }: ServiceOptions,
): Promise<string | undefined> {
  if (networkMode === null) return undefined;
  if (networkMode.kind !== 'service') return networkMode.kind;
  const { deploymentId, service } = networkMode;
  const other = await containers.findOf({ deploymentId, service }, nameOf(deploymentId, service));
  if (!other) throw new Error(`there is no container of ${deploymentId}/${service} whose network could be shared`);
  return `container:${other.info.Id}`;
}
