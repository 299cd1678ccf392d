import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { EngineError } from '../../runtime/docker/engine/errors.ts';
import type { RegistryAuth } from '../../runtime/swarm/update-service.ts';
import { jsonLines } from '../json-lines.ts';
import { authHeader } from '../references.ts';
import { type ImageRegistry, RegistryError, repositoryOf, tagOf, type Tell } from './image-registry.ts';

export type PushedImage = { reference: string; auth: RegistryAuth };

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
export async function push(
  engine: EngineClient,
  imageId: string,
  registry: ImageRegistry,
  tell: Tell = () => {},
): Promise<PushedImage> {
  const repo = repositoryOf(registry);
  const tag = tagOf(imageId);
  // The name tells later that the registry has the image.
  await engine.json({ method: 'POST', path: `/images/${imageId}/tag`, query: { repo, tag } });
  for (let giveUp = Date.now() + readOnlyMs, isTold = false; ; isTold = true) {
    const login = await registry.ready();
    const host = registry.address.split('/', 1)[0]!;
    const headers = authHeader({ registry: host, username: '', password: '', ...login });
    const pushed = (digest: string) => ({ reference: `${repo}@${digest}`, auth: login && headers['x-registry-auth'] });
    const known = await digestAt(engine, `${repo}:${tag}`, headers);
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
  { repo, tag, headers }: { repo: string; tag: string; headers: Headers },
  tell: Tell,
): Promise<string> {
  const began = Date.now();
  const call = { method: 'POST', path: `/images/${repo}/push`, query: { tag }, headers, deadlineMs: pushMs } as const;
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

function problemOf(registry: ImageRegistry, error: Error): Error {
  if (error.name === 'EngineAwayError') return error;
  const [, what, hint] = problems.find(([pattern]) => pattern.test(error.message)) ?? [];
  const message = `the image was not sent: the registry ${registry.address} ${what ?? 'refused it'} (${error.message})`;
  return new RegistryError(message, registry.hints[hint ?? 'away'], { cause: error });
}
