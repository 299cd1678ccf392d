import { posix } from 'node:path';
import type { BaseStage, DockerApp, DockerfileOptions, DockerfilePlan } from './dockerfile.ts';
import {
  cacheMount,
  checkedVariableName,
  envInstruction,
  aptInstall,
  isUsablePath,
  runInstruction,
  runTrusted,
  cmdInstruction,
  entrypointInstruction,
} from './instructions.ts';

/** An unused uid; the name is for readability in the container. */
const user = 10001;
/** Home folder, where programs keep caches and settings. */
export const appHome = '/home/runner';

/** Returns the stage that the others begin with, if there is one. */
export const baseStage = ({ base }: DockerfilePlan): string[] =>
  base ? [`FROM ${base.image} AS base`, ...setUp(base), ''] : [];

/** Returns the build stage. Files that the install reads are copied first, so that source changes do not repeat it. */
export function buildStage(app: DockerApp, plan: DockerfilePlan, options: DockerfileOptions): string[] {
  const { cacheScope, secrets } = options;
  const mounts = (folders: Record<string, string> = {}) =>
    Object.entries(folders).map(([name, folder]) => cacheMount(cacheScope, name, folder));
  const caches = mounts(plan.caches);
  const build = plan.cachedBuild && app.isBuiltAsDetected ? plan.cachedBuild : app.build;
  const files = options.installCommand === null ? app.found.installFiles : [];
  const isApart = app.install !== null && files.length > 0 && files.every(isUsablePath);
  return [
    `FROM ${plan.build.image} AS build`,
    ...setUp({ ...plan.build, packages: [...(plan.build.packages ?? []), ...app.found.buildPackages] }),
    `WORKDIR ${app.directory}`,
    ...options.variables.map((name) => `ARG ${checkedVariableName(name)}`),
    ...(isApart ? [...copyFiles(files), runInstruction(app.install!, { caches, secrets })] : []),
    'COPY . /app/',
    ...(app.install !== null && !isApart ? [runInstruction(app.install, { caches, secrets })] : []),
    ...(build === null ? [] : [runInstruction(build, { caches: [...caches, ...mounts(plan.buildCaches)], secrets })]),
    ...(plan.leftovers?.length && app.start !== null ? [runTrusted(`rm -rf ${plan.leftovers.join(' ')}`)] : []),
  ];
}

/** Returns the final stage: the app and its dependencies, as an unprivileged user. */
export function finalStage(app: DockerApp, plan: DockerfilePlan): string[] {
  const folder = plan.directory ?? '/app';
  const directory = plan.directory ?? app.directory;
  const port = app.found.port ?? 8080;
  return [
    `FROM ${plan.run.image}`,
    ...setUp({ ...plan.run, packages: [...(plan.run.packages ?? []), ...app.found.systemPackages] }),
    runTrusted(`useradd --uid ${user} --create-home runner`),
    envInstruction({ HOST: '0.0.0.0', PORT: String(port) }),
    `COPY --from=build --chown=${user}:${user} ${plan.directory ? app.directory : '/app'} ${folder}`,
    `WORKDIR ${directory}`,
    `USER ${user}:${user}`,
    `EXPOSE ${port}`,
    ...(app.beforeStart === null ? [] : [entrypointInstruction(app.beforeStart)]),
    cmdInstruction(plan.start && app.isStartedAsDetected ? plan.start : app.start!),
  ];
}

/** Contains only files: the site is copied out of the image. */
export const siteStage = (folder: string): string[] => ['FROM scratch', `COPY --from=build ${folder} /site`];

/** For a prebuilt site. */
export const readySite = (folder: string): string[] => [
  'FROM scratch',
  `COPY ${posix.relative('/app', folder) || '.'} /site`,
];

function setUp({
  isArchived,
  isNotRoot,
  copies = [],
  packages = [],
  has = [],
  commands = [],
  environment: values = {},
}: BaseStage): string[] {
  const missing = packages.filter((name) => !has.includes(name));
  return [
    ...(isNotRoot ? ['USER root'] : []),
    ...copies.map(([image, from, to]) => `COPY --from=${image} ${from} ${to}`),
    ...(missing.length ? [aptInstall([...new Set(missing)], isArchived)] : []),
    ...commands.map(runTrusted),
    ...(Object.keys(values).length ? [envInstruction(values)] : []),
  ];
}

/** One COPY per folder, since all its files go to one destination. */
function copyFiles(files: string[]): string[] {
  const folders = Map.groupBy(files, (file) => {
    const folder = posix.dirname(file);
    return file.endsWith('/') ? file : folder === '.' ? '' : `${folder}/`;
  });
  return [...folders].map(([folder, inside]) => `COPY ${inside.join(' ')} /app/${folder}`);
}
