import { text } from 'node:stream/consumers';
import type { ImageRelease, ServiceMount } from '../runtime.ts';
import type { EngineClient } from '../docker/engine/client.ts';
import { undefinedIfGone, throwStreamError } from '../docker/engine/errors.ts';
import type { ImageInfo } from '../docker/engine/types.ts';
import { imageOf } from '../docker/release/create.ts';
import type { ServiceBodyInput } from '../docker/service/body.ts';
import { type MountSettings, prepareMounts, targetOf } from '../docker/service/mounts.ts';
import type { OverlayNetworks } from './overlay-networks.ts';
import type { OwnService } from './own-services.ts';
import { encodedAuthHeader, type RegistryAuth } from './update-service.ts';
import type { Placement } from './placement.ts';
import { serviceSpec } from './service-spec.ts';
import type { SwarmNodes } from './swarm-nodes.ts';
import type { SwarmRuntimeOptions } from './swarm-runtime.ts';
import type { SecretUse, ServiceSpec } from './types.ts';
import { refuseUnsupported } from './unsupported.ts';

const pullMs = 15 * 60_000;

interface PlaceParts {
  /** Has the image. */
  engine: EngineClient;
  networks: OverlayNetworks;
  placement: Placement;
  nodes: SwarmNodes;
  name: string;
  /** Files that every node has. */
  secrets: readonly SecretUse[];
  /** The other mounts of the release, on the node that we speak to. */
  mounts: ServiceMount[];
  /** The other replicas. */
  siblings: readonly OwnService[];
  distribute: (imageId: string) => ReturnType<NonNullable<SwarmRuntimeOptions['distribute']>> | undefined;
  engineLogs: ServiceBodyInput['engineLogs'];
}

/** Prepares everything that a release needs, and returns its service. */
export async function placeRelease(
  spec: ImageRelease,
  parts: PlaceParts,
): Promise<{ service: ServiceSpec; auth: RegistryAuth }> {
  const { engine, networks, name, engineLogs } = parts;
  const { owner, service: options } = spec;
  refuseUnsupported(spec);
  const image = await imageOf(engine, spec);
  const spread = await parts.distribute(spec.imageId);
  const { constraints, mounts } = await boundTo(
    { ...spec, service: { ...options, mounts: parts.mounts } },
    image,
    spread,
    parts,
  );
  const joined = await Promise.all(
    options.networks.map(async (network) => ({
      Target: await networks.ensure(owner, options.stack, network),
      Aliases: network.names.filter(({ service }) => service === owner.service).map((each) => each.name),
    })),
  );
  const api = Number((await engine.version()).replace('v1.', ''));
  const reference = spread?.reference ?? spec.imageId;
  const secrets = parts.secrets.map(({ File, ...secret }) => ({
    ...secret,
    File: { ...File, Name: targetOf(File.Name, options, image) },
  }));
  const place = { name, image, reference, mounts, secrets, networks: joined, constraints };
  return { service: serviceSpec(spec, { ...place, engineLogs, api }), auth: spread?.auth };
}

type Spread = { reference: string; auth: RegistryAuth } | undefined;

/** Returns the nodes that may run the release, and its mounts there. Without volumes that is any node. */
async function boundTo(
  spec: ImageRelease,
  image: ImageInfo,
  spread: Spread,
  { placement, nodes, siblings }: PlaceParts,
): Promise<{ constraints: string[]; mounts: MountSettings }> {
  const { mounts, stack } = spec.service;
  const [ownNode = ''] = await nodes.ids();
  // Files of this machine, and images that only its engine has, are nowhere else.
  const isLocal = !spread || mounts.some(({ type }) => type === 'bind');
  const hasVolumes =
    mounts.some(({ type }) => type === 'volume') || Object.keys(image.Config?.Volumes ?? {}).length > 0;
  if (!hasVolumes) {
    const constraints = isLocal ? [`node.id==${ownNode}`] : await placement.apart(spec, siblings);
    return { constraints, mounts: await prepareMounts(await nodes.own(), spec, image) };
  }
  const node = await placement.nodeOfVolumes(stack, isLocal ? [ownNode] : await nodes.ids());
  if (isLocal && node.ID !== ownNode)
    throw new Error(
      `the volumes of this stack are on the node ${node.Description.Hostname}, but its image, folders or large files are only on this machine`,
    );
  const prepared = await nodes.on(node, async (there) => {
    // A new volume gets the owner of the image's folder.
    if (spread) await provideReleaseImage(there.engine, spec.imageId, spread);
    return prepareMounts(there, spec, image);
  });
  return { constraints: [`node.id==${node.ID}`], mounts: prepared };
}

/** Pulls the image on a node that lacks it. */
export async function provideReleaseImage(
  engine: EngineClient,
  imageId: string,
  spread: NonNullable<Spread>,
): Promise<void> {
  if (await undefinedIfGone(engine.json({ method: 'GET', path: `/images/${imageId}/json` }))) return;
  const query = { fromImage: spread.reference };
  const headers = encodedAuthHeader(spread.auth);
  const answer = await engine.open({ method: 'POST', path: '/images/create', query, headers, deadlineMs: pullMs });
  throwStreamError(await text(answer), `a node could not pull ${spread.reference}`);
}
