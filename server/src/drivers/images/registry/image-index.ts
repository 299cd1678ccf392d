import { createHash } from 'node:crypto';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { configuredHints } from './hints.ts';
import { RegistryError, registryRepositoryOf } from './image-registry.ts';
import type { PushedImage, PushTarget } from '../images.ts';
import { RegistryClient } from './registry-client.ts';

const indexTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];
const manifestTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];

type Platform = { os: string; architecture: string; variant?: string };
type Descriptor = { mediaType: string; digest: string; size: number; platform?: Platform };
type Manifest = { config: { digest: string } };

/** Makes images of several platforms one: sends an index that names them. */
export async function pushImageIndex(
  engine: EngineClient,
  images: PushedImage[],
  to: PushTarget,
  signal: AbortSignal,
): Promise<PushedImage> {
  const client = new RegistryClient(engine, to);
  const repository = registryRepositoryOf({ address: to.registry });
  const manifests: Descriptor[] = [];
  for (const image of images) manifests.push(...(await describe(client, image, signal)));
  // A list of OCI manifests must be an index, and one of Docker's manifests a list.
  const isOci = manifests.every(({ mediaType }) => mediaType === manifestTypes[0]);
  const mediaType = indexTypes[isOci ? 0 : 1]!;
  const body = JSON.stringify({ schemaVersion: 2, mediaType, manifests });
  const digest = createHash('sha256').update(body).digest('hex');
  const tag = digest.slice(0, 32);
  const headers = { 'content-type': mediaType };
  await client.call(repository, { method: 'PUT', path: `manifests/${tag}`, headers, body, signal });
  return { repository, tag, digest: `sha256:${digest}` };
}

/** Returns the manifests of an image with their platforms. An engine may have sent an index itself. */
async function describe(
  client: RegistryClient,
  { repository, digest }: PushedImage,
  signal: AbortSignal,
): Promise<Descriptor[]> {
  const headers = { accept: [...indexTypes, ...manifestTypes].join(', ') };
  const answer = await client.call(repository, { method: 'GET', path: `manifests/${digest}`, headers, signal });
  const mediaType = answer.headers.get('content-type')?.split(';')[0] ?? '';
  const text = await answer.text();
  if (indexTypes.includes(mediaType))
    return (JSON.parse(text) as { manifests: Descriptor[] }).manifests.filter(({ platform }) => isReal(platform));
  if (!manifestTypes.includes(mediaType))
    throw new RegistryError(`${digest} is a ${mediaType}, not an image`, configuredHints.away);
  const { config } = JSON.parse(text) as Manifest;
  const blob = await client.call(repository, { method: 'GET', path: `blobs/${config.digest}`, signal });
  const { os, architecture, variant } = (await blob.json()) as Platform;
  const platform = { os, architecture, ...(variant && { variant }) };
  return [{ mediaType, digest, size: Buffer.byteLength(text), platform }];
}

/** Attestations have the platform `unknown/unknown`. */
const isReal = (platform: Platform | undefined): boolean => platform !== undefined && platform.os !== 'unknown';
