import { OutboundError, type Reach, resolveOutbound } from '../../lib/outbound.ts';
import type { EngineClient } from '../runtime/docker/engine/client.ts';
import { EngineError } from '../runtime/docker/engine/errors.ts';
import { type Dockerfile, type Instruction, parseDockerfile } from './dockerfile/parse.ts';
import { BuildRefusedError, PullFailedError } from './errors.ts';
import { isOwnName } from './image-names.ts';
import type { RegistryCredential } from './images.ts';
import type { ImageDetails } from './image-store.ts';
import { registryDigestOf } from './pull.ts';
import { authHeader, credentialFor, dockerHub, parseReference, type Reference, shortName } from './references.ts';

/** What holds besides where an engine is shared by people who are nothing to each other: it stands on the machine's own network,
 * and keeps what others have fetched with passwords of theirs. */
export class SharedEngine {
  readonly #engine: EngineClient;
  readonly #reach: Reach;

  constructor(engine: EngineClient, reach: Reach) {
    [this.#engine, this.#reach] = [engine, reach];
  }

  requireReach = (name: string): Promise<void> => requireRegistryInReach(name, this.#reach);

  /** Throws for an image that the engine has because somebody has fetched it, maybe with a password: its registry has to say that
   * it may be had. One that has come from no registry was put there by whoever runs the engine, for everybody. */
  async requireShared(
    name: string,
    { RepoTags, RepoDigests }: Known,
    credentials: RegistryCredential[],
  ): Promise<void> {
    const reference = parseReference(name);
    if (!RepoDigests?.length || !reference || isOwnName(name)) return;
    const isNamed = RepoTags?.some((tag) => shownOf(tag) === shortName(reference));
    if (!registryDigestOf(name, RepoDigests)) {
      if (isNamed) return;
      throw new BuildRefusedError(`the image ${name} belongs to another project`);
    }
    await this.#requireMayPull(reference, credentials);
  }

  async #requireMayPull(reference: Reference, credentials: RegistryCredential[]): Promise<void> {
    const headers = authHeader(credentialFor(reference.registry, credentials));
    try {
      await this.#engine.json({ method: 'GET', path: `/distribution/${shortName(reference)}/json`, headers });
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      throw new PullFailedError(`${shortName(reference)}: ${error.message}`, { cause: error });
    }
  }
}

/** Throws for a registry at an address that is not connected to: what answers there would be shown as an error. */
export async function requireRegistryInReach(name: string, reach: Reach): Promise<void> {
  const reference = parseReference(name);
  if (!reference || reference.registry === dockerHub || isOwnName(name)) return;
  const host = reference.registry.replace(/:\d+$/, '');
  await resolveOutbound(host, reach).catch((error: unknown) => {
    if (!(error instanceof OutboundError)) throw error;
    // An engine that is the operator's own may know names that we do not.
    if (reach === 'private' && error.code === 'not_found') return;
    throw new PullFailedError(`${shortName(reference)}: ${error.message}`, { cause: error });
  });
}

type Known = Pick<ImageDetails, 'RepoTags' | 'RepoDigests'>;

function shownOf(name: string): string | undefined {
  const reference = parseReference(name);
  return reference && shortName(reference);
}

/** Also in what looks like text: whether it is, the builder decides. */
export function refuseRemoteFilesIn({ instructions, lines }: Dockerfile): void {
  refuseRemoteFiles([...instructions, ...parseDockerfile(lines.join('\n'), false).instructions]);
}

/** An engine fetches what an ADD names itself, from the machine's own network, and goes wherever it is sent. */
export function refuseRemoteFiles(instructions: readonly Pick<Instruction, 'name' | 'arguments'>[]): void {
  for (const { name, arguments: rest } of instructions) {
    const [, inner = '', words = ''] = (name === 'ONBUILD' && /^(\S+)\s*(.*)$/s.exec(rest)) || [];
    const [which, what] = name === 'ONBUILD' ? [inner.toUpperCase(), words] : [name, rest];
    if (which !== 'ADD' || !sourcesIn(what).some(isRemote)) continue;
    throw new BuildRefusedError(
      'ADD does not accept URLs or variables here; use COPY, or download the file in a RUN step',
    );
  }
}

/** All but the last word: that is where they go. Quotes and backslashes are taken out as the engine does it. What begins as a list
 * is one with whatever stands behind it, or none at all if it cannot be read: so it is taken for both. */
function sourcesIn(text: string): string[] {
  const words = text.startsWith('[')
    ? text.replace(unicodeEscape, (_, code: string) => String.fromCharCode(parseInt(code, 16))).split(/[\s,]+/)
    : text.split(/\s+/).filter((word) => !word.startsWith('--'));
  return words.slice(0, -1).map((word) => word.replace(/["'\\]/g, ''));
}

const unicodeEscape = /\\u([0-9a-f]{4})/gi;

/** What is put together of variables may become one. */
const isRemote = (word: string): boolean => /:\/\/|\$|^[^/]+@[^/]+:/.test(word);
