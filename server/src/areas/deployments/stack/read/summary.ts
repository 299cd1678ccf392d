import {
  ComposeError,
  type ComposeProblem,
  type ComposeProject,
  type ComposeService,
  parseCompose,
  problemText,
  projectEscapes,
  type SourceLine,
} from '../../../../compose/index.ts';
import { generatedValue } from '../../../../compose/values/generated.ts';
import type { Detection, SourceTree } from '../../../../detect/detect.ts';
import { folderTree } from '../../../../detect/folder-tree.ts';
import { detectFolder } from '../../../../detect/in-thread.ts';
import { AppError } from '../../../../errors.ts';
import { accessReason, escapeSentence } from '../checks/trust.ts';
import { candidatesOf } from '../endpoints/candidates.ts';
import { type PublicServices, publicServicesOf } from '../endpoints/public-services.ts';
import { blueprintIn } from './blueprint.ts';
import { withPublicPorts } from './generated-variables.ts';
import { composeOfSource } from './source.ts';

/** Summary of a compose service, for deciding whether to deploy it. */
export interface ServiceSummary {
  name: string;
  image: string | null;
  build: { context: string; dockerfile: string | null; target: string | null } | null;
  ports: { target: number; published: number | null; protocol: string }[];
  dependsOn: string[];
  /** Names only, since values may be secrets. */
  environment: string[];
  volumes: string[];
}

/** A setting that only trusted projects may use. */
export interface AccessSummary extends SourceLine {
  /** Null for networks, volumes, configs and secrets. */
  service: string | null;
  field: string;
  /** What it is, and what it allows. */
  reason: string;
}

export type SourceSummary = Omit<Detection, 'services'> & {
  services: ServiceSummary[];
  /** Variables that the compose file requires. They are among `variables` too. */
  required: string[];
  /** Whether the services of the compose file are deployed, or the app. */
  deploys: 'app' | 'compose';
  /** Which services are public; null if no compose file is deployed. */
  reach: PublicServices | null;
  /** Access to the machine that the compose file asks for. */
  access: AccessSummary[];
};

/** Which folder to look at, and whether to look at its compose file although it is an app. */
export type SourceSelection = { rootDirectory?: string | undefined; deploys?: 'compose' | undefined };

/** Detects what a source on disk contains, without deploying it. */
export async function detectSource(folder: string, place: SourceSelection = {}): Promise<SourceSummary> {
  const found = await detectFolder(folder, place.rootDirectory);
  return withComposeFile(found, folderTree(folder), place);
}

/**
 * Adds the compose file's services to a detection. Its errors become reasons: variables are not known yet, so the file
 * may be valid when it is deployed.
 */
export async function withComposeFile(
  found: Detection,
  tree: SourceTree,
  { rootDirectory: folder = '', deploys }: SourceSelection = {},
): Promise<SourceSummary> {
  const named = found.services.map(({ name }) => ({ ...nothingKnown, name }));
  const unread = { ...found, services: named, required: [], deploys: 'app' as const, reach: null, access: [] };
  if (found.compose === null) return unread;
  const missing: ComposeProblem[] = [];
  const aside: string[] = [];
  try {
    const project = await composeOfSource({
      found,
      config: { installCommand: null, buildCommand: null, startCommand: null, outputDirectory: null },
      hasContainers: true,
      activeServices: [],
      tree,
      file: found.compose,
      isChosen: deploys === 'compose',
      parse: () => parseFilled(tree, folder, missing),
      log: (line) => aside.push(line),
    });
    if (!project) return { ...unread, reasons: [...found.reasons, ...aside] };
    const escapes = projectEscapes(project);
    const sentences = escapes.map((escape) => `${escapeSentence(escape)}; trusted projects only`);
    const { services } = project;
    const required = [...new Set(missing.flatMap(({ unset }) => unset?.name ?? []))];
    return {
      ...found,
      variables: withRequired(found.variables, required),
      services: services.map(summaryOf),
      required,
      deploys: 'compose',
      reach: publicServicesOf(services, await candidatesOf(project, tree)),
      access: escapes.map((escape) => ({ ...escape, reason: accessReason(escape) })),
      reasons: [...found.reasons, ...sentences, ...[...missing, ...project.warnings].map(problemText)],
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const problems = error instanceof ComposeError ? error.problems.map(problemText) : [error.message];
    return { ...unread, deploys: 'compose', reasons: [...found.reasons, ...problems] };
  }
}

/** Parses the file as if required variables had a value; adds those that have none to `missing`. */
async function parseFilled(tree: SourceTree, folder: string, missing: ComposeProblem[]): Promise<ComposeProject> {
  const generate = (name: string) => (generatedValue(name) ? placeholder : undefined);
  const blueprint = await blueprintIn(tree, folder);
  const made = blueprint?.environment(() => placeholder);
  const parse = async (names: readonly string[]) => {
    const filled = Object.fromEntries(names.map((name) => [name, placeholder]));
    const environment = { ...filled, ...made?.plain, ...made?.random };
    const project = await parseCompose(tree, { folder, generate, environment });
    return blueprint
      ? blueprint.withFiles(withPublicPorts(project, blueprint), () => placeholder, environment)
      : project;
  };
  try {
    return await parse([]);
  } catch (error) {
    const problems = error instanceof ComposeError ? error.problems : [];
    const names = problems.flatMap(({ unset }) => unset?.name ?? []);
    if (!names.length || names.length < problems.length) throw error;
    missing.push(...problems);
    return parse(names).catch((other: unknown) => {
      throw other instanceof ComposeError ? new ComposeError([...problems, ...other.problems]) : other;
    });
  }
}

const placeholder = '-';

const withRequired = (known: Detection['variables'], names: readonly string[]): Detection['variables'] => [
  ...known,
  ...names.filter((name) => !known.some(({ key }) => key === name)).map((key) => ({ key, example: null })),
];

const nothingKnown = { image: null, build: null, ports: [], dependsOn: [], environment: [], volumes: [] };

const summaryOf = ({ name, image, build, ports, dependsOn, environment, mounts }: ComposeService): ServiceSummary => ({
  name,
  image,
  build: build && { context: build.context.path || '.', dockerfile: build.dockerfile, target: build.target },
  ports: ports.map(({ target, published, protocol }) => ({ target, published: published?.from || null, protocol })),
  dependsOn: dependsOn.map(({ service }) => service),
  environment: Object.keys(environment),
  volumes: mounts.map(({ target }) => target),
});
