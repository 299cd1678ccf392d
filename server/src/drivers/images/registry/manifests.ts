import { type ImageRegistry, registryRepositoryOf } from './image-registry.ts';

const kinds = [
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
].join(', ');

/** Whether the registry has the image no more. */
type Deletion = 'deleted' | 'absent' | 'not_allowed';

/** Deletes an image by its tag, with the images for all platforms. */
export async function deleteManifest(registry: ImageRegistry, tag: string): Promise<Deletion> {
  const headers = { accept: kinds };
  const [, ...path] = registryRepositoryOf(registry).split('/');
  const call = (method: 'GET' | 'DELETE', reference: string) =>
    registry.request({ method, path: `/v2/${path.join('/')}/manifests/${reference}`, headers });
  const found = await call('GET', tag);
  if (found.status === 404) return 'absent';
  if (isNotAllowed(found.status)) return 'not_allowed';
  const digest = found.headers['docker-content-digest'];
  if (found.status !== 200 || typeof digest !== 'string') throw new Error(`it responded with status ${found.status}`);
  const { manifests = [] } = JSON.parse(found.body) as { manifests?: { digest: string }[] };
  for (const each of [...manifests.map((one) => one.digest), digest]) {
    const { status } = await call('DELETE', each);
    if (isNotAllowed(status)) return 'not_allowed';
    if (status !== 202 && status !== 404) throw new Error(`it responded with status ${status}`);
  }
  return 'deleted';
}

const isNotAllowed = (status: number): boolean => [401, 403, 405].includes(status);
