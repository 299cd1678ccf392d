import { posix } from 'node:path';
import type { SourceTree } from '../detect/detect.ts';
import { insidePath } from '../detect/sub-tree.ts';
import { badRequest } from '../errors.ts';
import { exampleFor } from './files/example-values.ts';
import { findComposeFiles } from './files/names.ts';
import { loadFiles } from './files/load.ts';
import { checkedProjectName, normalizedProjectName, writtenName } from './files/written-name.ts';
import { FileReader } from './files/reader.ts';
import { ComposeReport } from './problems.ts';
import type { ComposeProject } from './project.ts';
import { readComposeProject } from './read/project.ts';
import { boundedLookup } from './values/bounded-lookup.ts';
import { dotenv } from './values/dotenv.ts';
import type { VariableSource } from './values/template.ts';

export interface ComposeOptions {
  /** Folder of the project in the source. */
  folder?: string;
  /** Files to merge, relative to the folder; default: those of Docker Compose. */
  files?: string[];
  /** Overrides `name` in the file. */
  name?: string;
  /** Variables; they override those of `.env`. */
  environment?: Readonly<Record<string, string>>;
  /** Values for variables that are not set and have no default. */
  generate?: VariableSource;
  /** Active profiles; default: COMPOSE_PROFILES. */
  profiles?: string[];
}

/**
 * Parses the compose file of a source. Throws a `ComposeError` with all errors and their lines. Runs nothing and
 * reads nothing outside the source.
 */
export async function parseCompose(tree: SourceTree, options: ComposeOptions = {}): Promise<ComposeProject> {
  const folder = insidePath(options.folder ?? '');
  if (folder === undefined) throw badRequest(`${options.folder} is not a folder of the source`, 'folder');
  const report = new ComposeReport();
  const reader = new FileReader(tree, report);
  reader.generate = options.generate;
  const given = options.environment ?? {};
  const variables = await projectVariables(reader, folder, given);
  const files = await filesOf(tree, folder, options, variables);
  if (!files.length) throw badRequest(`There is no compose file in ${folder || 'the source'}`);
  const chosen = options.name ?? checkedProjectName(variables('COMPOSE_PROJECT_NAME'));
  const name =
    chosen ??
    (await writtenName(reader, files, folder, variables)) ??
    (normalizedProjectName(posix.basename(folder)) || 'app');
  // `${PWD}/folder` is common for a folder next to the file.
  const known = new Map([
    ['COMPOSE_PROJECT_NAME', name],
    ['PWD', '.'],
  ]);
  const lookup = boundedLookup((key) => variables(key) ?? known.get(key), files[0]!);
  const file = await loadFiles(reader, files, folder, lookup);
  // Failed substitutions and merges would only cause follow-up errors.
  report.settle();
  const profiles = options.profiles ?? listed(variables('COMPOSE_PROFILES'), ',');
  const project = await readComposeProject(file, reader, { name, profiles, lookup, given });
  reader.examples?.tell(report);
  report.settle();
  return project;
}

async function projectVariables(
  reader: FileReader,
  folder: string,
  given: Readonly<Record<string, string>>,
): Promise<VariableSource> {
  const fromCaller: VariableSource = (name) => (Object.hasOwn(given, name) ? given[name] : undefined);
  const path = posix.join(folder, '.env');
  const text = await reader.text(path, { file: path, line: null });
  if (text === undefined) reader.examples = await exampleFor(reader, path, given);
  const own = dotenv(text ?? '', path, fromCaller);
  return (name) => fromCaller(name) ?? own.get(name);
}

/** Returns the requested files, those of COMPOSE_FILE, or the default ones. */
async function filesOf(
  tree: SourceTree,
  folder: string,
  options: ComposeOptions,
  variables: VariableSource,
): Promise<string[]> {
  const chosen = options.files ?? listed(variables('COMPOSE_FILE'), variables('COMPOSE_PATH_SEPARATOR') || ':');
  if (!chosen.length) return await findComposeFiles(tree, folder);
  return chosen.map((name) => {
    const path = name.startsWith('/') ? undefined : insidePath(posix.join(folder || '.', name));
    if (path === undefined) throw badRequest(`${name} is outside the source`, 'files');
    return path;
  });
}

const listed = (text: string | undefined, separator: string): string[] =>
  (text ?? '')
    .split(separator)
    .map((each) => each.trim())
    .filter(Boolean);

export {
  ComposeError,
  sourceLineText,
  problemText,
  withCauses,
  type SourceLine,
  type ComposeProblem,
} from './problems.ts';
export { escapesOf, hostPorts, projectEscapes, type HostPort } from './escapes/index.ts';
export { capabilityName, usualCapabilities } from './escapes/isolation.ts';
export type { Escape } from './escapes/escape.ts';
export { startOrder } from './graph.ts';
export { repositoriesFolder } from './read/repository.ts';
export { findComposeFiles } from './files/names.ts';
export { readServiceEntries } from './request/index.ts';
export { ServiceEntry } from './request/service-entry.ts';
export type { ComposeFile, ComposeNetwork, ComposeProject, ComposeVolume } from './project.ts';
export type {
  AppBuild,
  ComposeBuild,
  ComposeMount,
  ComposePort,
  ComposeService,
  ComposeRepository,
  FileUse,
  PathInSource,
} from './service.ts';
