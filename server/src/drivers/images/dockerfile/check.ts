import { BuildRefusedError } from '../errors.ts';
import { parseReference } from '../references.ts';
import { type Dockerfile, parseDockerfile } from './parse.ts';
import { neededStages, type Stage, stagesOf, UnreadableFromError } from './stages.ts';

/** A Dockerfile that may be built. */
export interface CheckedDockerfile {
  file: Dockerfile;
  stages: Stage[];
  /** What it is built from and copies from, as it stands in the file: a name or an id. */
  images: string[];
  /** What is taken besides by a builder that sees instructions where we see text. */
  imagesInTexts: string[];
  /** Things that a person should know. */
  notices: string[];
}

export interface DockerfileUse {
  args: Record<string, string>;
  target: string | undefined;
  architecture: string;
}

const mostInstructions = 2_000;
const official = /^(?:docker\.io\/)?docker\/dockerfile(?:-upstream)?(?:[:@].*)?$/;

/** Refuses what we would not let an engine do, before it sees it. */
export function checkDockerfile(text: string, { args, target, architecture }: DockerfileUse): CheckedDockerfile {
  // JSON and `//` are how other builders' files begin, and an engine would fetch such a builder and run it.
  if (/^\uFEFF?(?:#![^\n]*\n)?\s*(?:\{|\/\/)/.test(text)) throw new BuildRefusedError('this is not a Dockerfile');
  if (text.includes('\0')) throw new BuildRefusedError('this is not a Dockerfile: it holds a NUL');
  const file = parseDockerfile(text);
  if (file.instructions.length > mostInstructions)
    throw new BuildRefusedError(`the Dockerfile has more than ${mostInstructions} instructions`);
  const notices = withoutFrontend(file);
  if (file.directives.some(({ name, value }) => name === 'escape' && value !== '\\'))
    throw new BuildRefusedError('another escape character than \\ is for Windows images, which cannot be built here');
  const stages = readStages(file, { args, target, architecture });
  const images = imagesOf(neededStages(stages, target));
  const imagesInTexts = file.hasHeredocs ? imagesByLines(file, args, architecture) : [];
  return { file, stages, images, imagesInTexts, notices };
}

/** Every line read as an instruction. What makes no sense then, the builder refuses that reads it so. */
function imagesByLines({ lines }: Dockerfile, args: Record<string, string>, architecture: string): string[] {
  try {
    const stages = stagesOf(parseDockerfile(lines.join('\n'), false), args, architecture);
    return namesIn(stages).filter((name) => parseReference(name));
  } catch (error) {
    if (error instanceof UnreadableFromError) return [];
    throw error;
  }
}

const imagesOf = (stages: readonly Stage[]): string[] => namesIn(stages).map(imageOf);

function namesIn(stages: readonly Stage[]): string[] {
  const sources = stages.flatMap((stage) => stage.sources);
  return [...new Set(sources.flatMap((source) => ('image' in source ? [source.image] : [])))];
}

/** `# syntax=` names a program that reads the file in place of the engine. The official ones do what the engine's own does,
 * and would have to be fetched for it: the line is taken out. Any other could do anything. */
function withoutFrontend(file: Dockerfile): string[] {
  const wanted = file.directives.filter(({ name }) => name === 'syntax');
  for (const { value, line } of wanted) {
    if (!official.test(value)) throw new BuildRefusedError(`# syntax=${value}: only docker/dockerfile can be used`);
    file.lines[line] = '#';
  }
  return wanted.map(({ value }) => `# syntax=${value} is replaced by the built-in syntax of the engine`);
}

function readStages(file: Dockerfile, { args, target, architecture }: DockerfileUse): Stage[] {
  let stages: Stage[];
  try {
    stages = stagesOf(file, args, architecture);
  } catch (error) {
    if (error instanceof UnreadableFromError) throw new BuildRefusedError(error.message, { cause: error });
    throw error;
  }
  if (!stages.length) throw new BuildRefusedError('the Dockerfile has no FROM');
  if (target !== undefined && !stages.some(({ name }) => name === target.toLowerCase()))
    throw new BuildRefusedError(`the Dockerfile has no stage ${JSON.stringify(target)}`);
  return stages;
}

function imageOf(name: string): string {
  if (!parseReference(name)) throw new BuildRefusedError(`${JSON.stringify(name)} is not an image name`);
  return name;
}
