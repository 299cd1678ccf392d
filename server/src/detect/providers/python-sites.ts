import type { DetectFinding, Provider, SourceTree } from '../detect.ts';
import { plainPath } from '../plain-names.ts';
import { findManager } from '../python/manager.ts';
import { readPythonProject } from '../python/project.ts';
import { pythonVersion } from '../python/version.ts';
import { yamlScalar } from '../yaml-outline.ts';

type Site = { id: string; name: string; sign: string; packages: string[]; build: string; output: string };

/** Python site generators: MkDocs, Pelican, Sphinx. */
export const pythonSites: Provider = {
  name: 'python-sites',
  looksFor: 'mkdocs.yml',
  async detect(tree) {
    const site = (await mkdocs(tree)) ?? (await pelican(tree)) ?? (await sphinx(tree));
    if (!site) return undefined;
    const project = await readPythonProject(tree);
    const manager = findManager(project);
    const missing = site.packages.filter((name) => !project.dependencies.has(name)).join(' ');
    const base = manager.install ?? 'python3 -m venv .venv && .venv/bin/pip install';
    const install = missing ? base + (manager.install ? manager.add(missing) : ` ${missing}`) : base;
    const version = await pythonVersion(project);
    const build = `.venv/bin/${site.build}`;
    return {
      ...version,
      framework: site.id,
      language: 'python',
      packageManager: manager.name,
      installCommand: install,
      installFiles: manager.files,
      buildCommand: build,
      outputDirectory: site.output,
      reasons: [
        manager.reason,
        ...(version.reasons ?? []),
        `${site.sign}: ${site.name}, built with \`${build}\`, served from ${site.output}`,
      ],
    } satisfies DetectFinding;
  },
};

async function mkdocs(tree: SourceTree): Promise<Site | undefined> {
  const config = await tree.read('mkdocs.yml');
  if (config === undefined) return undefined;
  const isMaterial = /^[ \t]*name:[ \t]*["']?material\b/m.test(config);
  const packages = isMaterial ? ['mkdocs-material'] : ['mkdocs'];
  const output = plainPath(yamlScalar(config, 'site_dir')) ?? 'site';
  return { id: 'mkdocs', name: 'MkDocs', sign: 'mkdocs.yml', packages, build: 'mkdocs build', output };
}

async function pelican(tree: SourceTree): Promise<Site | undefined> {
  const names = await tree.list('');
  const settings = ['publishconf.py', 'pelicanconf.py'].find((name) => names.includes(name));
  if (!settings || !names.includes('pelicanconf.py')) return undefined;
  return {
    id: 'pelican',
    name: 'Pelican',
    sign: 'pelicanconf.py',
    packages: ['pelican'],
    build: `pelican content -o output -s ${settings}`,
    output: 'output',
  };
}

async function sphinx(tree: SourceTree): Promise<Site | undefined> {
  for (const folder of ['docs', 'docs/source', 'doc', 'source']) {
    const config = await tree.read(`${folder}/conf.py`);
    if (config === undefined || !/\bextensions\s*=|\bhtml_theme\s*=|sphinx/.test(config)) continue;
    const output = 'docs/_build/html';
    return {
      id: 'sphinx',
      name: 'Sphinx',
      sign: `${folder}/conf.py`,
      packages: ['sphinx'],
      build: `sphinx-build -b html ${folder} ${output}`,
      output,
    };
  }
  return undefined;
}
