import { posix } from 'node:path';
import { type ComposeProject, ComposeError, parseCompose, problemText } from '../../../compose/index.ts';
import { dotenv } from '../../../compose/values/dotenv.ts';
import { FileProblem, type ReadOnlyFiles } from '../../../drivers/host/read-only-files.ts';
import { AppError } from '../../../errors.ts';
import { looksSecret } from '../stack/secret-looking.ts';
import { safeText } from '../stack/safe-text.ts';
import { type Budget, MachineFiles } from './machine-tree.ts';
import { type ComposeFilesLocation, commonFolder } from './files-location.ts';

/** A compose file on the machine, and its problem. */
export interface FoundComposeFile {
  path: string;
  found: boolean;
  problem: string | null;
}

/** Parsed compose files of a group; null if they cannot be read or parsed. */
export interface ReadComposeFiles {
  files: FoundComposeFile[];
  project: ComposeProject | null;
}

/**
 * Reads and parses the compose files of a group with their `.env`. Problems of files are returned; only a lost
 * connection throws.
 */
export async function readCompose(
  files: ReadOnlyFiles,
  place: ComposeFilesLocation,
  name: string,
  budget: Budget,
): Promise<ReadComposeFiles> {
  const folders = [place.folder, ...place.files.map((path) => posix.dirname(path))];
  const machine = new MachineFiles(files, folders, budget);
  const read = await Promise.all(place.files.map((path) => readOne(machine, path)));
  if (read.some(({ found, problem }) => !found || problem !== null)) return { files: read, project: null };
  const root = commonFolder(folders);
  const inside = (path: string) => posix.relative(root, path);
  try {
    const project = await parseCompose(machine.tree(root), {
      folder: inside(place.folder),
      files: place.files.map((path) => posix.relative(place.folder, path)),
      environment: await environmentOf(machine, place.envFiles),
      name,
    });
    return { files: read, project };
  } catch (error) {
    const problem = await withoutVariables(sentenceOf(error), machine, place);
    return { files: read.map((each, i) => (i === 0 ? { ...each, problem } : each)), project: null };
  }
}

async function readOne(machine: MachineFiles, path: string): Promise<FoundComposeFile> {
  try {
    return { path, found: (await machine.text(path)) !== undefined, problem: null };
  } catch (error) {
    return { path, found: true, problem: sentenceOf(error) };
  }
}

/** A parse error may quote the value of a secret variable, of long ones only the beginning. */
async function withoutVariables(text: string, machine: MachineFiles, place: ComposeFilesLocation): Promise<string> {
  const paths = [posix.join(place.folder, '.env'), ...place.envFiles];
  const found = await environmentOf(machine, paths).catch((error: unknown) => (sentenceOf(error), {}));
  const isTold = ([key, value]: [string, string]) =>
    value.length >= shortestSecret && looksSecret(key, value) && text.includes(value.slice(0, beginning));
  return Object.entries(found).some(isTold)
    ? 'it cannot be parsed; the details are hidden because they contain what looks like a secret'
    : text;
}

const [shortestSecret, beginning] = [4, 12];

async function environmentOf(machine: MachineFiles, paths: readonly string[]): Promise<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const path of paths)
    for (const [key, value] of dotenv((await machine.text(path)) ?? '', path, (key) => variables[key]))
      variables[key] = value;
  return variables;
}

/** Returns the message of a file problem; other errors are rethrown. */
function sentenceOf(error: unknown): string {
  if (error instanceof ComposeError)
    return safeText(error.problems[0] ? problemText(error.problems[0]) : error.message);
  if (error instanceof FileProblem || error instanceof AppError) return safeText(error.message);
  // SFTP errors have a numeric code.
  if (typeof (error as { code?: unknown }).code === 'number')
    return `cannot be read: ${safeText((error as Error).message)}`;
  throw error;
}
