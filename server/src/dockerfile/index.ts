import { posix } from 'node:path';
import type { Detection } from '../detect/detect.ts';
import { dockerignore } from './dockerignore.ts';
import type { Base, DockerApp, DockerfileOptions, GeneratedDockerfile } from './dockerfile.ts';
import { checkedPath } from './instructions.ts';
import { buildStage, finalStage, home, readySite, siteStage } from './stages.ts';
import { toolchainFor } from './toolchains/index.ts';

/** The build context of a detected app, and the app's folder in it: a member of a workspace needs all of that. */
export function buildContext(found: Detection, rootDirectory: string): { context: string; folder: string } {
  const context = found.workspaceDirectory ?? rootDirectory;
  return { context, folder: posix.relative(context, rootDirectory) };
}

/** The Dockerfile for a detected app; undefined when there is no app to start and no site to serve. */
export function generateDockerfile(found: Detection, options: DockerfileOptions): GeneratedDockerfile | undefined {
  const isSite = !options.startCommand && (options.outputDirectory !== null || !found.startCommand);
  const output = isSite ? (options.outputDirectory ?? found.outputDirectory) : null;
  const start = isSite ? null : (options.startCommand ?? found.startCommand);
  if (start === null && output === null) return undefined;
  const directory = posix.join('/app', checkedPath(options.folder));
  const app: DockerApp = {
    found,
    directory,
    // An empty command is one that is not wanted.
    install: (options.installCommand ?? found.installCommand) || null,
    build: (options.buildCommand ?? found.buildCommand) || null,
    start,
    isBuiltAsDetected: options.installCommand === null && options.buildCommand === null,
    isStartedAsDetected: options.startCommand === null,
  };
  const plan = toolchainFor(found).plan(app);
  const site = output === null ? null : insideContext(posix.join(directory, output));
  const isMade = app.install !== null || app.build !== null;
  const stages =
    site === null
      ? [...buildStage(app, plan, options), '', ...finalStage(app, plan)]
      : isMade
        ? [...buildStage(app, plan, options), '', ...siteStage(site)]
        : readySite(site);
  return {
    dockerfile: `${['# Made from what was detected in the source. A Dockerfile there is used instead of it.', ...stages].join('\n')}\n`,
    dockerignore: dockerignore(found),
    images: imagesOf([...(site === null || isMade ? [plan.build] : []), ...(site === null ? [plan.run] : [])]),
    site: site === null ? null : '/site',
    readOnly: { memory: [home, ...(plan.filledCaches ?? [])] },
  };
}

/** A folder of the app; one that leads out of the source is nobody's to serve. */
function insideContext(path: string): string {
  const normal = posix.normalize(path).replace(/\/$/, '');
  return checkedPath(normal === '/app' || normal.startsWith('/app/') ? normal : '..');
}

const imagesOf = (bases: Base[]) => [
  ...new Set(
    bases.flatMap(({ image, copies = [] }) => [
      image,
      ...copies.map(([from]) => from).filter((from) => from !== 'build'),
    ]),
  ),
];
