import { BuildRefusedError } from '../errors.ts';
import { parseReference } from '../references.ts';
import { type Instruction, parseDockerfile } from './parse.ts';

/** Returns the text with a stage for each of these images before its own. A reference to one of the names then means
 * that image, even if a registry has one of that name. */
export function withNamedImages(text: string, images: Record<string, string>): string {
  const names = Object.keys(images);
  if (!names.length) return text;
  const { lines, instructions } = parseDockerfile(text);
  const first = instructions.findIndex(({ name }) => name === 'FROM');
  // Nothing to build; the Dockerfile check reports it.
  if (first < 0) return text;
  for (const name of names) requireUsable(name, images[name]!, instructions);
  const top = first > 0 ? instructions[first - 1]!.lastLine + 1 : lines.findIndex((line) => !/^\s*(#|$)/.test(line));
  lines.splice(top, 0, ...names.map((name) => `FROM ${images[name]} AS ${name}`));
  return lines.join('\n');
}

function requireUsable(name: string, image: string, instructions: Instruction[]): void {
  const refuse = (why: string) => new BuildRefusedError(`the build cannot have ${JSON.stringify(name)}: ${why}`);
  if (!/^[a-z][a-z0-9_.-]{0,127}$/.test(name)) throw refuse('it is not a valid stage name');
  if (!parseReference(image)) throw refuse(`${JSON.stringify(image)} is not an image name`);
  const isOwn = new RegExp(String.raw`\sas\s+${name.replaceAll('.', String.raw`\.`)}$`, 'i');
  if (instructions.some((each) => each.name === 'FROM' && isOwn.test(each.arguments)))
    throw refuse('the Dockerfile has a stage of that name');
  if (instructions.some(({ flags }) => flags.some((flag) => /\bfrom=\d+(,|$)/i.test(flag))))
    throw refuse('the Dockerfile calls its stages by their numbers, which change with it');
}
