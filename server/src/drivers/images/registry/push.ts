import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { EngineError } from '../../runtime/docker/engine/errors.ts';
import type { RegistryAuth } from '../../runtime/swarm/update-service.ts';
import type { PushedImage, PushTarget, RegistryCredential } from '../images.ts';
import { jsonLines } from '../json-lines.ts';
import { configuredHints } from './hints.ts';
import { registryAuthHeader } from '../references.ts';
import { type ImageRegistry, RegistryError, registryRepositoryOf, tagOf, type ReportLine } from './image-registry.ts';

export type PushedReference = { reference: string; auth: RegistryAuth };

type Frame = {
  id?: string;
  status?: string;
  error?: string;
  progressDetail?: { current?: number };
  aux?: { Digest?: string };
};

const pushMs = 30 * 60_000;
/** How long a push waits for a registry that accepts no images. */
const readOnlyMs = 60 * 60_000;
const betweenTriesMs = 2_000;

/** Sends an image of the engine to the registry, unless it has it. Returns the name that all nodes find it by. */
export async function pushToRegistry(
  engine: EngineClient,
  imageId: string,
  registry: ImageRegistry,
  tell: ReportLine = () => {},
): Promise<PushedReference> {
  const repo = registryRepositoryOf(registry);
  const tag = tagOf(imageId);
  // The name tells later that the registry has the image.
  await engine.json({ method: 'POST', path: `/images/${imageId}/tag`, query: { repo, tag } });
  for (let giveUp = Date.now() + readOnlyMs, isTold = false; ; isTold = true) {
    const login = await registry.ready();
    const headers = registryAuthHeader(pushCredentialOf({ registry: registry.address, login }));
    const pushed = (digest: string) => ({ reference: `${repo}@${digest}`, auth: login && headers['x-registry-auth'] });
    const known =
      (await sentByWorker(engine, imageId, repo, headers)) ?? (await digestAt(engine, `${repo}:${tag}`, headers));
    if (known) return pushed(known);
    try {
      if (!isTold) tell('Sending the image to the registry');
      return pushed(await send(engine, { repo, tag, headers }, tell));
    } catch (error) {
      const isRefused = registry.isOwn && (isReadOnlyText((error as Error).message) || (await registry.isReadOnly()));
      if (!isRefused || Date.now() > giveUp) throw problemOf(registry, error as Error);
      if (!isTold) tell('The registry is freeing space; waiting');
      await sleep(betweenTriesMs);
    }
  }
}

type Headers = Record<string, string>;

/** Sends an image that other engines fetch by its digest. */
export async function pushImage(
  engine: EngineClient,
  imageId: string,
  { registry, login }: PushTarget,
  signal?: AbortSignal,
): Promise<PushedImage> {
  const repository = registryRepositoryOf({ address: registry });
  const tag = tagOf(imageId);
  await engine.json({ method: 'POST', path: `/images/${imageId}/tag`, query: { repo: repository, tag } });
  const headers = registryAuthHeader(pushCredentialOf({ registry, login }));
  try {
    const digest = await send(engine, { repo: repository, tag, headers, ...(signal && { signal }) }, () => {});
    return { repository, tag, digest };
  } catch (error) {
    signal?.throwIfAborted();
    throw problemOf({ address: registry, hints: configuredHints }, error as Error);
  }
}

export const pushCredentialOf = ({ registry, login }: PushTarget): RegistryCredential => ({
  registry: registry.split('/', 1)[0]!,
  username: '',
  password: '',
  ...login,
});

/** An image that a worker built is in the registry already, perhaps for several platforms. */
async function sentByWorker(engine: EngineClient, imageId: string, repo: string, headers: Headers) {
  type Info = { RepoDigests: string[] | null };
  const { RepoDigests } = await engine.json<Info>({ method: 'GET', path: `/images/${imageId}/json` });
  const name = RepoDigests?.find((each) => each.startsWith(`${repo}@`));
  return name && digestAt(engine, name, headers);
}

/** Returns undefined if the registry does not have the image, or does not say so: the push shows why. */
async function digestAt(engine: EngineClient, image: string, headers: Headers): Promise<string | undefined> {
  type Found = { Descriptor: { digest: string } };
  try {
    const path = `/distribution/${image}/json`;
    return (await engine.json<Found>({ method: 'GET', path, headers })).Descriptor.digest;
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  }
}

async function send(
  engine: EngineClient,
  { repo, tag, headers, signal }: { repo: string; tag: string; headers: Headers; signal?: AbortSignal },
  tell: ReportLine,
): Promise<string> {
  const began = Date.now();
  const where = { method: 'POST', path: `/images/${repo}/push`, query: { tag }, headers } as const;
  const call = { ...where, deadlineMs: pushMs, ...(signal && { signal }) };
  const sent = new Map<string, number>();
  let digest: string | undefined;
  for await (const { id, status, progressDetail, error, aux } of jsonLines<Frame>(await engine.open(call))) {
    if (error) throw new Error(error);
    if (id && status === 'Pushing') sent.set(id, progressDetail?.current ?? 0);
    digest = aux?.Digest ?? digest;
  }
  if (!digest) throw new Error('it did not name the image that it received');
  const bytes = [...sent.values()].reduce((sum, each) => sum + each, 0);
  tell(`Sent ${Math.ceil(bytes / 1_000_000)} MB in ${((Date.now() - began) / 1000).toFixed(1)} s`);
  return digest;
}

const isReadOnlyText = (text: string): boolean => /method not allowed|operation is unsupported/i.test(text);

/** By the texts of engines and registries. */
const problems: [pattern: RegExp, what: string, hint: keyof ImageRegistry['hints']][] = [
  [/no space left|disk quota|insufficient storage/i, 'is full', 'full'],
  [/unauthorized|authentication required|no basic auth|denied|forbidden/i, 'refused the credentials', 'refused'],
  [/connection refused|no such host|timeout|EOF|connection reset|no route|unreachable/i, 'does not respond', 'away'],
];

function problemOf(registry: Pick<ImageRegistry, 'address' | 'hints'>, error: Error): Error {
  if (error.name === 'EngineAwayError') return error;
  const [, what, hint] = problems.find(([pattern]) => pattern.test(error.message)) ?? [];
  const message = `the image was not sent: the registry ${registry.address} ${what ?? 'refused it'} (${error.message})`;
  return new RegistryError(message, registry.hints[hint ?? 'away'], { cause: error });
}
