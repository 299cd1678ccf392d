import type { EngineClient } from '../runtime/docker/engine/client.ts';
import type { RegistryAuth } from '../runtime/swarm/update-service.ts';
import { jsonLines } from './json-lines.ts';
import { authHeader } from './references.ts';

type Login = { username: string; password: string } | undefined;
type Frame = { error?: string; aux?: { Digest?: string } };
type Distributed = { reference: string; auth: RegistryAuth };

const pushMs = 30 * 60_000;

/** Returns a function that makes an image available to all nodes of a Swarm: in the registry if there is one,
 * otherwise where it was pulled from. */
export function distributor(
  engine: EngineClient,
  registry: string | undefined,
  login: Login,
): (imageId: string) => Promise<Distributed | undefined> {
  const pushed = new Map<string, Distributed>();
  return async (imageId) => {
    if (!registry) return pulledFrom(engine, imageId);
    const known = pushed.get(imageId) ?? (await push(engine, imageId, registry, login));
    pushed.set(imageId, known);
    return known;
  };
}

async function pulledFrom(engine: EngineClient, imageId: string): Promise<Distributed | undefined> {
  type Info = { RepoDigests: string[] | null };
  const { RepoDigests } = await engine.json<Info>({ method: 'GET', path: `/images/${imageId}/json` });
  const [reference] = RepoDigests ?? [];
  return reference ? { reference, auth: undefined } : undefined;
}

async function push(engine: EngineClient, imageId: string, registry: string, login: Login): Promise<Distributed> {
  const repo = `${registry}/mooring`;
  const tag = imageId.replace('sha256:', '').slice(0, 32);
  await engine.json({ method: 'POST', path: `/images/${imageId}/tag`, query: { repo, tag } });
  const credential = { registry: registry.split('/', 1)[0]!, username: '', password: '', ...login };
  const headers = authHeader(credential);
  const call = { method: 'POST', path: `/images/${repo}/push`, query: { tag }, headers, deadlineMs: pushMs } as const;
  let digest: string | undefined;
  for await (const { error, aux } of jsonLines<Frame>(await engine.open(call))) {
    if (error) throw new Error(`the image could not be sent to the registry ${registry}: ${error}`);
    digest = aux?.Digest ?? digest;
  }
  if (!digest) throw new Error(`the registry ${registry} did not name the image that it received`);
  return { reference: `${repo}@${digest}`, auth: login && headers['x-registry-auth'] };
}
