import { BuildRefusedError } from '../errors.ts';
import { parseReference } from '../references.ts';
import { type Dockerfile, parseDockerfile } from './parse.ts';
import { neededStages, type DockerfileStage, stagesOf, UnreadableFromError } from './stages.ts';

/** A validated Dockerfile. */
export interface CheckedDockerfile {
  file: Dockerfile;
  stages: DockerfileStage[];
  /** Images that it builds or copies from, as written: a name or an id. */
  images: string[];
  /** Further images for a builder that reads heredoc text as instructions. */
  imagesInTexts: string[];
  /** Notices for the user. */
  notices: string[];
}

export interface DockerfileUse {
  args: Record<string, string>;
  target: string | undefined;
  architecture: string;
}

const mostInstructions = 2_000;
const official = /^(?:docker\.io\/)?docker\/dockerfile(?:-upstream)?(?:[:@].*)?$/;

/** Rejects what an engine must not do, before the engine sees it. */
export function checkDockerfile(text: string, { args, target, architecture }: DockerfileUse): CheckedDockerfile {
  // Other frontends' files begin with JSON or `//`, and an engine would fetch and run such a frontend.
  if (/^\uFEFF?(?:#![^\n]*\n)?\s*(?:\{|\/\/)/.test(text)) throw new BuildRefusedError('this is not a Dockerfile');
  if (text.includes('\0')) throw new BuildRefusedError('this is not a Dockerfile: it contains a NUL character');
  const file = parseDockerfile(text);
  if (file.instructions.length > mostInstructions)
    throw new BuildRefusedError(`the Dockerfile has more than ${mostInstructions} instructions`);
  const notices = withoutFrontend(file);
  if (file.directives.some(({ name, value }) => name === 'escape' && value !== '\\'))
    throw new BuildRefusedError('escape characters other than \\ are for Windows images, which cannot be built here');
  const stages = readStages(file, { args, target, architecture });
  const images = imagesOf(neededStages(stages, target));
  const imagesInTexts = file.hasHeredocs ? imagesByLines(file, args, architecture) : [];
  return { file, stages, images, imagesInTexts, notices };
}

/** Reads every line as an instruction. A builder that does so rejects invalid ones itself. */
function imagesByLines({ lines }: Dockerfile, args: Record<string, string>, architecture: string): string[] {
  try {
    const stages = stagesOf(parseDockerfile(lines.join('\n'), false), args, architecture);
    return namesIn(stages).filter((name) => parseReference(name));
  } catch (error) {
    if (error instanceof UnreadableFromError) return [];
    throw error;
  }
}

const imagesOf = (stages: readonly DockerfileStage[]): string[] => namesIn(stages).map(imageOf);

function namesIn(stages: readonly DockerfileStage[]): string[] {
  const sources = stages.flatMap((stage) => stage.sources);
  return [...new Set(sources.flatMap((source) => ('image' in source ? [source.image] : [])))];
}

/** `# syntax=` names a frontend that replaces the engine's parser. The official ones behave like the built-in one and
 * would have to be fetched, so the line is removed. Any other could do anything. */
function withoutFrontend(file: Dockerfile): string[] {
  const wanted = file.directives.filter(({ name }) => name === 'syntax');
  for (const { value, line } of wanted) {
    if (!official.test(value)) throw new BuildRefusedError(`# syntax=${value}: only docker/dockerfile can be used`);
    file.lines[line] = '#';
  }
  return wanted.map(({ value }) => `# syntax=${value} is replaced by the built-in syntax of the engine`);
}

function readStages(file: Dockerfile, { args, target, architecture }: DockerfileUse): DockerfileStage[] {
  let stages: DockerfileStage[];
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
