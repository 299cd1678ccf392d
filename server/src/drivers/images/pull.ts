import type { EngineClient } from '../runtime/docker/engine/client.ts';
import { EngineError } from '../runtime/docker/engine/errors.ts';
import { PullFailedError } from './errors.ts';
import { isOwnName } from './image-names.ts';
import type { RegistryCredential, RunOptions } from './images.ts';
import { jsonLines } from './json-lines.ts';
import { registryAuthHeader, credentialFor, parseReference, shortName } from './references.ts';
import { untilStopped } from './stop-signal.ts';

interface Frame {
  id?: string;
  status?: string;
  progressDetail?: { current?: number; total?: number };
  error?: string;
}

const betweenLinesMs = 2_000;
const noDeadlineMs = 2 ** 31 - 1;

/** Returns the digest from the registry of that name; the image may come from several. */
export function registryDigestOf(name: string, digests: string[]): string | undefined {
  const wanted = parseReference(name);
  return digests.find((each) => {
    const reference = parseReference(each);
    return reference?.registry === wanted?.registry && reference?.repository === wanted?.repository;
  });
}

/** Pulls an image. Sends the credentials only to its registry. */
export async function pullImage(
  engine: EngineClient,
  name: string,
  credentials: RegistryCredential[],
  options: RunOptions,
): Promise<void> {
  const reference = parseReference(name);
  if (!reference) throw new PullFailedError(`${JSON.stringify(name)} is not an image name`);
  if (isOwnName(name)) throw new PullFailedError(`${name} is the name of a local image, which does not exist`);
  const { registry, repository, tag, digest } = reference;
  const shown = shortName(reference);
  options.onLine(`Pulling ${shown}`, 'stdout');
  await untilStopped(`pulling ${shown}`, options, async (stop) => {
    try {
      const answer = await engine.open({
        method: 'POST',
        path: '/images/create',
        query: { fromImage: `${registry}/${repository}`, tag: digest ?? tag! },
        headers: registryAuthHeader(credentialFor(registry, credentials)),
        deadlineMs: noDeadlineMs,
        signal: stop,
      });
      await follow(jsonLines<Frame>(answer), shown, options.onLine);
    } catch (error) {
      throw error instanceof EngineError ? new PullFailedError(`${shown}: ${error.message}`, { cause: error }) : error;
    }
  });
}

async function follow(frames: AsyncIterable<Frame>, shown: string, onLine: RunOptions['onLine']): Promise<void> {
  const layers = new Map<string, { current: number; total: number }>();
  let said = Date.now();
  for await (const { id, status, progressDetail, error } of frames) {
    if (error !== undefined) throw new PullFailedError(`${shown}: ${error}`);
    const { current, total } = progressDetail ?? {};
    if (id && total && status === 'Downloading') layers.set(id, { current: current ?? 0, total });
    if (status?.startsWith('Status: ')) onLine(status.slice('Status: '.length), 'stdout');
    if (!layers.size || Date.now() - said < betweenLinesMs) continue;
    said = Date.now();
    const sum = [...layers.values()].reduce(([have, need], each) => [have! + each.current, need! + each.total], [0, 0]);
    onLine(`${shown}: ${sum.map((bytes) => Math.round(bytes / 1e6)).join(' of ')} MB`, 'stdout');
  }
}
