import type { DetectFinding, SourceTree } from '../detect.ts';
import { languageVersion, toolVersions, versionFile } from '../language-version.ts';
import { child, isRecord, textOrNull, textList, type Json } from '../records.ts';
import { readToml } from '../toml.ts';
import type { VersionLine } from '../version-range.ts';

const line: VersionLine = {
  language: 'Python',
  known: ['3.13', '3.12', '3.11', '3.10', '3.9'],
  preferred: '3.13',
  aliases: { latest: '3.13', '3': '3.13' },
};

/** Declared facts of a Python project. */
export interface PythonProject {
  tree: SourceTree;
  /** Names in the folder. */
  names: Set<string>;
  pyproject: Json | undefined;
  pipfile: Json | undefined;
  requirements: string;
  /** Normalized names of dependencies: `python-fasthtml`. */
  dependencies: Set<string>;
}

export async function readPythonProject(tree: SourceTree): Promise<PythonProject> {
  const [pyproject, pipfile] = [await readToml(tree, 'pyproject.toml'), await readToml(tree, 'Pipfile')];
  const requirements = ((await tree.read('requirements.txt')) ?? '').slice(0, 200_000);
  const conda = ((await tree.read('environment.yml')) ?? (await tree.read('environment.yaml')) ?? '').slice(0, 50_000);
  const lists = [
    requirements.split(/\r?\n/),
    // A list of names with a nested one for pip.
    conda.split(/\r?\n/).map((line) => /^\s{0,20}-\s{1,20}(.*)$/.exec(line)?.[1] ?? ''),
    textList(child(pyproject, 'project')['dependencies']),
    Object.values(child(pyproject, 'project', 'optional-dependencies')).flatMap(textList),
    Object.keys(child(pyproject, 'tool', 'poetry', 'dependencies')),
    Object.keys(child(pipfile, 'packages')),
    extras(child(pyproject, 'tool', 'poetry', 'dependencies')),
    extras(child(pipfile, 'packages')),
  ];
  const dependencies = new Set(lists.flat().flatMap(namesIn));
  return { tree, names: new Set(await tree.list('')), pyproject, pipfile, requirements, dependencies };
}

/** `fastapi[standard]>=0.1` yields `fastapi` and `fastapi[standard]`. */
function namesIn(requirement: string): string[] {
  const match = /^\s*([A-Za-z0-9][\w.-]{0,80})\s{0,5}(?:\[([\w,. -]{1,80})\])?/.exec(requirement);
  if (!match) return [];
  const name = match[1]!.toLowerCase().replace(/[._]/g, '-');
  return [name, ...(match[2] ?? '').split(',').map((extra) => `${name}[${extra.trim().toLowerCase()}]`)];
}

/** Poetry and Pipenv list extras next to the version: `fastapi = { extras = ["standard"], version = "*" }`. */
const extras = (packages: Json) =>
  Object.entries(packages).flatMap(([name, wanted]) =>
    isRecord(wanted) ? textList(wanted['extras']).map((extra) => `${name}[${extra}]`) : [],
  );

export async function pythonVersion({ tree, pyproject, pipfile }: PythonProject): Promise<DetectFinding> {
  const { wanted, from } = await versionFile(tree, '.python-version', /^(cpython|python)[-@]?/);
  return languageVersion(line, [
    // `3.13t` is a variant of the same version.
    { wanted: wanted?.replace(/^(\d+\.\d+(?:\.\d+)?)[a-z-].*$/, '$1'), from },
    await versionFile(tree, 'runtime.txt', /^python-?/),
    ...(await toolVersions(tree, 'python')),
    { wanted: textOrNull(child(pipfile, 'requires')['python_full_version']), from: 'Pipfile' },
    { wanted: textOrNull(child(pipfile, 'requires')['python_version']), from: 'Pipfile' },
    { wanted: textOrNull(child(pyproject, 'project')['requires-python']), from: 'requires-python of pyproject.toml' },
    { wanted: textOrNull(child(pyproject, 'tool', 'poetry', 'dependencies')['python']), from: 'pyproject.toml' },
  ]);
}
