import { OutboundError, type OutboundReach, resolveOutbound } from '../../lib/outbound.ts';
import type { EngineClient } from '../runtime/docker/engine/client.ts';
import { EngineError } from '../runtime/docker/engine/errors.ts';
import { type Dockerfile, type Instruction, parseDockerfile } from './dockerfile/parse.ts';
import { BuildRefusedError, PullFailedError } from './errors.ts';
import { isOwnName } from './image-names.ts';
import type { RegistryCredential } from './images.ts';
import type { ImageDetails } from './image-store.ts';
import { registryDigestOf } from './pull.ts';
import {
  registryAuthHeader,
  credentialFor,
  dockerHub,
  parseReference,
  type Reference,
  shortName,
} from './references.ts';

/** Additional rules for an engine that organizations share: it is on the host's own network, and keeps images that
 * others pulled with their credentials. */
export class SharedEngine {
  readonly #engine: EngineClient;
  readonly #reach: OutboundReach;

  constructor(engine: EngineClient, reach: OutboundReach) {
    [this.#engine, this.#reach] = [engine, reach];
  }

  requireReach = (name: string): Promise<void> => requireRegistryInReach(name, this.#reach);

  /** Throws unless the registry allows the pull of an image that the engine already has, because another organization
   * may have pulled it with credentials. An image without a registry was put there by the operator, for everyone. */
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
    const headers = registryAuthHeader(credentialFor(reference.registry, credentials));
    try {
      await this.#engine.json({ method: 'GET', path: `/distribution/${shortName(reference)}/json`, headers });
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      throw new PullFailedError(`${shortName(reference)}: ${error.message}`, { cause: error });
    }
  }
}

/** Throws for a registry at a forbidden address, because its response would be shown in the error. */
export async function requireRegistryInReach(name: string, reach: OutboundReach): Promise<void> {
  const reference = parseReference(name);
  if (!reference || reference.registry === dockerHub || isOwnName(name)) return;
  const host = reference.registry.replace(/:\d+$/, '');
  await resolveOutbound(host, reach).catch((error: unknown) => {
    if (!(error instanceof OutboundError)) throw error;
    // The operator's own engine may resolve names that we cannot.
    if (reach === 'private' && error.code === 'not_found') return;
    throw new PullFailedError(`${shortName(reference)}: ${error.message}`, { cause: error });
  });
}

type Known = Pick<ImageDetails, 'RepoTags' | 'RepoDigests'>;

function shownOf(name: string): string | undefined {
  const reference = parseReference(name);
  return reference && shortName(reference);
}

/** Also checks heredoc text, which some builders read as instructions. */
export function refuseRemoteFilesIn({ instructions, lines }: Dockerfile): void {
  refuseRemoteFiles([...instructions, ...parseDockerfile(lines.join('\n'), false).instructions]);
}

/** The engine itself fetches the URLs of an ADD, from the host's network, and follows redirects. */
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

/** Returns all words but the last, which is the target. Removes quotes and backslashes like the engine. An array may
 * be followed by more text, or be invalid and read as words, so both are covered. */
function sourcesIn(text: string): string[] {
  const words = text.startsWith('[')
    ? text.replace(unicodeEscape, (_, code: string) => String.fromCharCode(parseInt(code, 16))).split(/[\s,]+/)
    : text.split(/\s+/).filter((word) => !word.startsWith('--'));
  return words.slice(0, -1).map((word) => word.replace(/["'\\]/g, ''));
}

const unicodeEscape = /\\u([0-9a-f]{4})/gi;

/** A word with variables may become a URL. */
const isRemote = (word: string): boolean => /:\/\/|\$|^[^/]+@[^/]+:/.test(word);
