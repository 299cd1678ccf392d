import { isIP } from 'node:net';
import { isAbsolute, normalize } from 'node:path';
import { readInside } from '../context/context.ts';
import { withNamedImages } from '../dockerfile/named-images.ts';
import { BuildRefusedError } from '../errors.ts';
import { isReservedLabel } from '../image-names.ts';
import type { BuildRequest } from '../images.ts';

const largestDockerfile = 1_048_576;
/** Arguments and labels are sent in the request line, which engines limit to a megabyte. */
const mostTextBytes = 200_000;
const mostHosts = 100;

/** Rejects an invalid request before it reaches the engine. */
export function checkRequest(request: BuildRequest): void {
  const { args = {}, secrets = {}, labels = {} } = request;
  for (const name of Object.keys(args)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw refused(`${shown(name)} is not a valid build argument name`);
    // They would select another frontend, or expose the caches of another project.
    if (/^BUILDKIT_/i.test(name)) throw refused(`the build argument ${name} is reserved`);
  }
  for (const name of Object.keys(labels)) {
    if (!/^[\w.\-/]{1,128}$/.test(name)) throw refused(`${shown(name)} is not a valid label name`);
    if (isReservedLabel(name)) throw refused(`the label ${name} is reserved`);
  }
  for (const id of Object.keys(secrets))
    if (!/^[\w.-]{1,128}$/.test(id)) throw refused(`${shown(id)} is not a valid secret id`);
  checkSurroundings(request);
  const texts = [...Object.entries(args), ...Object.entries(labels)].flat().filter((each) => each !== null);
  if (texts.some((text) => text.includes('\0'))) throw refused('a build argument or label contains a NUL character');
  if (texts.reduce((sum, text) => sum + encodeURIComponent(text.toWellFormed()).length, 0) > mostTextBytes)
    throw refused(`build arguments and labels may not be longer than ${mostTextBytes} bytes`);
}

/** Validates hosts, network and shared memory. */
function checkSurroundings({ extraHosts = [], network = 'default', shmBytes }: BuildRequest): void {
  // The types say so too, but user input is not typed.
  if (!['default', 'none'].includes(network)) throw refused(`builds have no network ${shown(network)}`);
  if (shmBytes !== undefined && !(Number.isSafeInteger(shmBytes) && shmBytes > 0))
    throw refused(`${shmBytes} bytes is not a valid size of /dev/shm`);
  if (extraHosts.length > mostHosts) throw refused(`a build can have at most ${mostHosts} extra hosts`);
  for (const { host, address } of extraHosts) {
    if (!/^[\w.-]{1,253}$/.test(host)) throw refused(`${shown(host)} is not a valid host name`);
    if (!isIP(address) && address !== 'host-gateway') throw refused(`${shown(address)} is not a valid host address`);
  }
}

/** Returns the Dockerfile with stages for the named images. */
export async function dockerfileText(request: BuildRequest): Promise<string> {
  return withNamedImages(await writtenText(request), request.namedImages ?? {});
}

/** A path that leads out of the context, also through a symlink, counts as missing. */
async function writtenText({ context, dockerfile }: BuildRequest): Promise<string> {
  if ('text' in dockerfile) return dockerfile.text;
  const { path } = dockerfile;
  const isInside = !isAbsolute(path) && !normalize(path).startsWith('..');
  const text = isInside ? await readInside(context, path, largestDockerfile) : undefined;
  if (text === undefined) throw refused(`there is no file ${shown(path)} to build from`);
  return text;
}

const refused = (sentence: string) => new BuildRefusedError(sentence);
const shown = (text: string) => JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
