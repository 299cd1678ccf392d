import { isAbsolute, normalize } from 'node:path';
import { readInside } from '../context/context.ts';
import { BuildRefusedError } from '../errors.ts';
import { isReserved } from '../image-names.ts';
import type { BuildRequest } from '../images.ts';

const largestDockerfile = 1_048_576;
/** Arguments and labels travel in the line of a request, and engines take a megabyte of those. */
const mostTextBytes = 200_000;

/** Refuses what no engine should be asked. */
export function checkRequest({ args = {}, secrets = {}, labels = {} }: BuildRequest): void {
  for (const name of Object.keys(args)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw refused(`${shown(name)} is no name of a build argument`);
    // With those, a build would choose the program that reads it, or see the caches of another project.
    if (/^BUILDKIT_/i.test(name)) throw refused(`the build argument ${name} is not for builds to set`);
  }
  for (const name of Object.keys(labels)) {
    if (!/^[\w.\-/]{1,128}$/.test(name)) throw refused(`${shown(name)} is no name of a label`);
    if (isReserved(name)) throw refused(`the label ${name} is ours`);
  }
  for (const id of Object.keys(secrets))
    if (!/^[\w.-]{1,128}$/.test(id)) throw refused(`${shown(id)} is no id of a secret`);
  const texts = [...Object.entries(args), ...Object.entries(labels)].flat();
  if (texts.some((text) => text.includes('\0'))) throw refused('a build argument or a label holds a NUL');
  if (texts.reduce((sum, text) => sum + encodeURIComponent(text.toWellFormed()).length, 0) > mostTextBytes)
    throw refused(`build arguments and labels may not be longer than ${mostTextBytes} bytes`);
}

/** The text of the Dockerfile. A path that leads out of the context, also by a link, leads to no file. */
export async function dockerfileText({ context, dockerfile }: BuildRequest): Promise<string> {
  if ('text' in dockerfile) return dockerfile.text;
  const { path } = dockerfile;
  const isInside = !isAbsolute(path) && !normalize(path).startsWith('..');
  const text = isInside ? await readInside(context, path, largestDockerfile) : undefined;
  if (text === undefined) throw refused(`there is no file ${shown(path)} to build from`);
  return text;
}

const refused = (sentence: string) => new BuildRefusedError(sentence);
const shown = (text: string) => JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
