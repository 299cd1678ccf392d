import { posix } from 'node:path';
import type { DetectFinding, Provider, SourceTree, Workspace } from '../detect.ts';
import { readJson } from '../json.ts';
import { findPackageManager } from '../node/package-manager.ts';
import { isForDevelopment } from '../node/start.ts';
import { readPackage } from '../package-json.ts';
import { plainName, plainPath } from '../plain-names.ts';
import { childRecord, textOrNull, type Json } from '../records.ts';
import { readWorkspaces, workspaceFolders } from '../workspaces.ts';

type Plan = { framework: string; start?: string; target?: string; output: string | null };
type Project = { name: string; folder: string; json: Json };

/** Nx projects without their own package.json, by project.json. */
export const nx: Provider = {
  name: 'nx',
  looksFor: 'nx.json',
  async detect(tree, workspace) {
    const root = workspace?.tree ?? tree;
    if (!(await root.list('')).includes('nx.json')) return undefined;
    const project = workspace ? await memberProject(tree, root) : await chosenProject(root);
    if (!project) return undefined;
    const pkg = (await readPackage(root)) ?? (await readPackage(tree));
    if (!pkg) return undefined;
    const { manager, reasons } = await findPackageManager(root, pkg, { where: workspace ? ' of the workspace' : '' });
    const plan = planOf(project, await upward(workspace, tree));
    if (!plan) return undefined;
    // Inferred targets have no configurations; they build for production.
    const isInferred = childRecord(project.json, 'targets', 'build')['inferred'] === true;
    const build = `${manager.execAtRoot} nx run ${project.name}:build${isInferred ? '' : ':production'}`;
    const start = plan.start ?? (plan.target ? `${manager.execAtRoot} nx run ${project.name}:${plan.target}` : null);
    const served = start ? `started with \`${start}\`` : `served from ${plan.output}`;
    return {
      framework: plan.framework,
      language: 'typescript',
      packageManager: manager.name,
      packageManagerVersion: manager.version,
      installCommand: manager.locked ? manager.installLocked : manager.install,
      buildCommand: build,
      startCommand: start,
      outputDirectory: plan.output,
      fallback: plan.output ? 'index.html' : null,
      port: start ? 3000 : null,
      reasons: [
        ...reasons,
        `${project.folder ? `${project.folder}/` : ''}project.json: ${project.name} of Nx, built with \`${build}\`, ${served}`,
      ],
    } satisfies DetectFinding;
  },
};

/** Returns a member that is an application. Its own scripts take precedence. */
async function memberProject(tree: SourceTree, root: SourceTree): Promise<Project | undefined> {
  const own = await readJson(tree, 'project.json');
  const source = plainPath(textOrNull(own['sourceRoot'])?.replace(/\/src$/, ''));
  const json = (source ? await inferred(root, source) : undefined) ?? own;
  const scripts = (await readPackage(tree))?.scripts;
  const name =
    plainName(textOrNull(json['name'])) ??
    plainName(
      textOrNull(json['sourceRoot'])
        ?.replace(/\/src$/, '')
        .split('/')
        .at(-1),
    );
  return textOrNull(json['projectType']) === 'application' && name && !scripts?.has('start')
    ? { name, folder: '', json }
    : undefined;
}

/** Returns the default project, or the only application. A start script at the root takes precedence. */
async function chosenProject(root: SourceTree): Promise<Project | undefined> {
  const start = (await readPackage(root))?.scripts.get('start');
  const workspaces = await readWorkspaces(root);
  if ((start && !isForDevelopment(start)) || !workspaces) return undefined;
  const preferred = textOrNull((await readJson(root, 'nx.json'))['defaultProject']);
  const projects: Project[] = [];
  for (const found of (
    await workspaceFolders(root, { ...workspaces, patterns: [...workspaces.patterns, 'apps/*'] })
  ).slice(0, 60)) {
    const folder = plainPath(found);
    const json = folder
      ? ((await inferred(root, folder)) ?? (await readJson(root, posix.join(folder, 'project.json'))))
      : {};
    const name = plainName(textOrNull(json['name'])) ?? (folder && plainName(posix.basename(folder)));
    if (folder && name && textOrNull(json['projectType']) === 'application' && !name.endsWith('-e2e'))
      projects.push({ name, folder, json });
  }
  return projects.find(({ name }) => name === preferred) ?? (projects.length === 1 ? projects[0] : undefined);
}

/** Newer Nx versions infer targets from the files of tools, also without a project.json. */
async function inferred(root: SourceTree, folder: string): Promise<Json | undefined> {
  const files = await root.list(folder);
  const written = await readJson(root, posix.join(folder, 'project.json'));
  const targets = childRecord(written, 'targets');
  const settings = (await root.read('nx.json')) ?? '';
  const rule = inferences.find(
    ({ plugin, config }) => settings.includes(plugin) && files.some((name) => config.test(name)),
  );
  if (!rule || 'build' in targets) return undefined;
  const config = files.find((name) => rule.config.test(name))!;
  const source = ((await root.read(posix.join(folder, config))) ?? '').slice(0, 50_000);
  const build = { ...rule.build(source, folder), inferred: true };
  if (files.includes('project.json')) return { ...written, targets: { ...targets, build } };
  const pkg = await readJson(root, posix.join(folder, 'package.json'));
  const name = textOrNull(childRecord(pkg, 'nx')['name']) ?? textOrNull(pkg['name']);
  return { name, projectType: 'application', targets: { build } };
}

/** Plugins of nx.json with the files that they infer a build from. */
const inferences: { plugin: string; config: RegExp; build: (source: string, folder: string) => Json }[] = [
  { plugin: '@nx/next/plugin', config: /^next\.config\./, build: () => ({ executor: '@nx/next:build' }) },
  {
    plugin: '@nx/webpack/plugin',
    config: /^webpack\.config\./,
    build: (source, folder) => ({
      executor: /\btarget:\s{0,9}['"]node['"]/.test(source) ? '@nx/webpack:node' : '@nx/web:build',
      options: {
        outputPath: folderIn(
          /\bpath:\s{0,9}[\w.]{0,20}\(\s{0,9}__dirname,\s{0,20}['"]([\w./-]{1,200})['"]/,
          source,
          folder,
        ),
      },
    }),
  },
  {
    plugin: '@nx/vite/plugin',
    config: /^vite\.config\./,
    build: (source, folder) => ({
      executor: '@nx/vite:build',
      options: { outputPath: folderIn(/\boutDir:\s{0,9}['"]([\w./-]{1,200})['"]/, source, folder) },
    }),
  },
];

/** Returns the folder that a configuration writes to, from the root. */
const folderIn = (pattern: RegExp, source: string, folder: string): string =>
  posix.join(folder, pattern.exec(source)?.[1] ?? 'dist');

/** Returns the relative path from the app to the workspace root. */
async function upward(workspace: Workspace | undefined, tree: SourceTree): Promise<string> {
  if (!workspace) return '';
  const json = await readJson(tree, 'project.json');
  const folder = textOrNull(json['sourceRoot'])?.replace(/\/src$/, '') ?? '';
  return '../'.repeat(folder.split('/').filter(Boolean).length);
}

/** Returns the result of the build executor: a program, an Nx target, or a site. */
function planOf({ json }: Project, up: string): Plan | undefined {
  const targets = childRecord(json, 'targets');
  const build = childRecord(targets, 'build');
  const executor = textOrNull(build['executor']) ?? '';
  const output = plainPath(textOrNull(childRecord(build, 'options')['outputPath'])) ?? 'dist';
  if (!executor) return undefined;
  if (/:next|next:/.test(executor)) {
    const serves = textOrNull(childRecord(targets, 'serve')['executor'])?.includes('next');
    return { framework: 'next', target: serves ? 'serve:production' : 'start', output: null };
  }
  if (
    /(react|web|vite|angular|browser|rspack):|build-angular/.test(executor) &&
    !/:node|webpack:webpack/.test(executor)
  )
    return { framework: 'nx', output: `${up}${output}${executor.endsWith(':application') ? '/browser' : ''}` };
  return { framework: 'nx', start: `node ${up}${output}/main.js`, output: null };
}
