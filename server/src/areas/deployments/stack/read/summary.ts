import {
  ComposeError,
  type ComposeProject,
  type ComposeService,
  parseCompose,
  problemText,
  projectEscapes,
} from '../../../../compose/index.ts';
import type { Detection, SourceTree } from '../../../../detect/detect.ts';
import { folderTree } from '../../../../detect/folder-tree.ts';
import { detectFolder } from '../../../../detect/in-thread.ts';
import { AppError } from '../../../../errors.ts';
import { escapeSentence } from '../checks/trust.ts';
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

export type Prepared = Omit<Detection, 'services'> & { services: ServiceSummary[] };

/** Detects what a source on disk contains, without deploying it. */
export async function detectSource(folder: string, rootDirectory?: string): Promise<Prepared> {
  const found = await detectFolder(folder, rootDirectory);
  return withComposeFile(found, folderTree(folder));
}

/**
 * Adds the compose file's services to a detection. Its errors become reasons: variables are not known yet, so the file
 * may be valid when it is deployed.
 */
export async function withComposeFile(found: Detection, tree: SourceTree): Promise<Prepared> {
  const named = found.services.map(({ name }) => ({ ...nothingKnown, name }));
  if (found.compose === null) return { ...found, services: named };
  try {
    const project = await parseCompose(tree);
    return {
      ...found,
      services: project.services.map(summaryOf),
      reasons: [...found.reasons, ...(await reasonsFor(found, tree, project))],
    };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const problems = error instanceof ComposeError ? error.problems.map(problemText) : [error.message];
    return { ...found, services: named, reasons: [...found.reasons, ...problems] };
  }
}

const nothingKnown = { image: null, build: null, ports: [], dependsOn: [], environment: [], volumes: [] };

async function reasonsFor(found: Detection, tree: SourceTree, project: ComposeProject): Promise<string[]> {
  const aside: string[] = [];
  const config = { installCommand: null, buildCommand: null, startCommand: null, outputDirectory: null };
  await composeOfSource({
    found,
    config,
    hasContainers: true,
    tree,
    file: found.compose!,
    parse: () => Promise.resolve(project),
    log: (line) => aside.push(line),
  });
  const escapes = projectEscapes(project).map((escape) => `${escapeSentence(escape)}; trusted projects only`);
  return [...aside, ...escapes, ...project.warnings.map(problemText)];
}

const summaryOf = ({ name, image, build, ports, dependsOn, environment, mounts }: ComposeService): ServiceSummary => ({
  name,
  image,
  build: build && { context: build.context.path || '.', dockerfile: build.dockerfile, target: build.target },
  ports: ports.map(({ target, published, protocol }) => ({ target, published: published?.from || null, protocol })),
  dependsOn: dependsOn.map(({ service }) => service),
  environment: Object.keys(environment),
  volumes: mounts.map(({ target }) => target),
});
