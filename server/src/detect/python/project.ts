import { posix } from 'node:path';
import type { SourceTree } from '../detect.ts';
import { readJson } from '../json.ts';
import { plainPath } from '../plain-names.ts';
import { childRecord, isRecord, textOrNull, textList, type Json } from '../records.ts';
import { readToml } from '../toml.ts';
import { djangoSettings, manageFile } from './django-files.ts';
import { importedPackages } from './imports.ts';

/** Declared facts of a Python project. */
export interface PythonProject {
  tree: SourceTree;
  /** Names in the folder. */
  names: Set<string>;
  pyproject: Json | undefined;
  pipfile: Json | undefined;
  /** Path of the list for pip, if any. */
  requirementsFile: string | undefined;
  requirements: string;
  /** Normalized names of dependencies: `python-fasthtml`. */
  dependencies: Set<string>;
  /** Exact versions of packages, from lists and lock files. */
  pinned: Map<string, string>;
  /** Version of Django that created the settings, for projects without a list of dependencies. */
  djangoVersion: string | undefined;
  /** Packages that the programs import, for projects without a list of dependencies. */
  imported: string[];
}

/** Lists for pip, in order of preference. */
const requirementsFiles = [
  'requirements.txt',
  'requirements/production.txt',
  'requirements/prod.txt',
  'requirements/base.txt',
  'requirements/requirements.txt',
];

export async function readPythonProject(tree: SourceTree): Promise<PythonProject> {
  const [pyproject, pipfile] = [await readToml(tree, 'pyproject.toml'), await readToml(tree, 'Pipfile')];
  const { file, text: requirements } = await readRequirements(tree);
  const conda = ((await tree.read('environment.yml')) ?? (await tree.read('environment.yaml')) ?? '').slice(0, 50_000);
  const lists = [
    requirements.split(/\r?\n/),
    // A list of names with a nested one for pip.
    conda.split(/\r?\n/).map((line) => /^\s{0,20}-\s{1,20}(.*)$/.exec(line)?.[1] ?? ''),
    textList(childRecord(pyproject, 'project')['dependencies']),
    Object.values(childRecord(pyproject, 'project', 'optional-dependencies')).flatMap(textList),
    Object.keys(childRecord(pyproject, 'tool', 'poetry', 'dependencies')),
    Object.keys(childRecord(pipfile, 'packages')),
    extras(childRecord(pyproject, 'tool', 'poetry', 'dependencies')),
    extras(childRecord(pipfile, 'packages')),
  ];
  const isListed = lists.flat().some((each) => each.trim()) || (pyproject ?? pipfile ?? file) !== undefined;
  const djangoVersion = lists.flat().some((each) => each.trim()) ? undefined : await createdWith(tree);
  const imported = isListed || djangoVersion ? [] : await importedPackages(tree);
  const pinned = new Map([...pinsIn(lists.flat()), ...(await lockedVersions(tree))]);
  if (djangoVersion) pinned.set('django', djangoVersion);
  const dependencies = new Set([...lists.flat().flatMap(namesIn), ...pinned.keys(), ...imported]);
  const names = new Set(await tree.list(''));
  const declared = { pyproject, pipfile, requirementsFile: file, requirements, dependencies, pinned };
  return { tree, names, ...declared, djangoVersion, imported };
}

/** Reads the version from the comments in the settings of a Django project. */
async function createdWith(tree: SourceTree): Promise<string | undefined> {
  const manage = await manageFile(tree);
  if (manage === undefined) return undefined;
  const settings = await djangoSettings(tree, posix.dirname(manage));
  return /docs\.djangoproject\.com\/en\/(\d{1,2}\.\d{1,2})\//.exec(settings)?.[1];
}

/** Reads the list with the lists that it includes. */
async function readRequirements(tree: SourceTree): Promise<{ file: string | undefined; text: string }> {
  let file: string | undefined;
  for (const each of requirementsFiles) if (!file && (await tree.read(each)) !== undefined) file = each;
  if (file === undefined) return { file, text: '' };
  const texts = [await readList(tree, file)];
  const included = [...texts[0]!.matchAll(/^[ \t]*(?:-r|--requirement)[ \t=]{1,9}([\w./-]{1,100})/gm)];
  for (const [, path = ''] of included.slice(0, 10)) {
    const inside = plainPath(posix.join(posix.dirname(file), path));
    if (inside) texts.push(await readList(tree, inside));
  }
  return { file, text: texts.join('\n') };
}

/** PowerShell writes UTF-16, which pip reads, too: as UTF-8 it has zeros between the letters. */
const readList = async (tree: SourceTree, path: string) =>
  ((await tree.read(path)) ?? '').slice(0, 200_000).replaceAll(/[\0\uFFFD\uFEFF]/g, '');

const normalized = (name: string) => name.toLowerCase().replace(/[._]/g, '-');

const pinsIn = (requirements: string[]): [string, string][] =>
  requirements.flatMap((each): [string, string][] => {
    const pin = /^\s*([A-Za-z0-9][\w.-]{0,80})\s{0,5}(?:\[[\w,. -]{1,80}\])?\s{0,5}[=~]=?=\s{0,5}(\d[\d.]{0,20})/.exec(
      each,
    );
    return pin ? [[normalized(pin[1]!), pin[2]!]] : [];
  });

/** Returns the versions of uv.lock, poetry.lock, pdm.lock or Pipfile.lock. */
async function lockedVersions(tree: SourceTree): Promise<[string, string][]> {
  for (const file of ['uv.lock', 'poetry.lock', 'pdm.lock']) {
    const lock = await tree.read(file);
    const found = lock?.matchAll(/^name = "([\w.-]{1,80})"\r?\nversion = "(\d[\d.]{0,20})/gm);
    if (found) return [...found].map(([, name, version]) => [normalized(name!), version!]);
  }
  const packages = Object.entries(childRecord(await readJson(tree, 'Pipfile.lock'), 'default'));
  return packages.flatMap(([name, about]): [string, string][] => {
    const version = isRecord(about) ? /^==(\d[\d.]{0,20})/.exec(textOrNull(about['version']) ?? '')?.[1] : undefined;
    return version ? [[normalized(name), version]] : [];
  });
}

/** `fastapi[standard]>=0.1` yields `fastapi` and `fastapi[standard]`. */
function namesIn(requirement: string): string[] {
  const match = /^\s*([A-Za-z0-9][\w.-]{0,80})\s{0,5}(?:\[([\w,. -]{1,80})\])?/.exec(requirement);
  if (!match) return [];
  const name = normalized(match[1]!);
  return [name, ...(match[2] ?? '').split(',').map((extra) => `${name}[${extra.trim().toLowerCase()}]`)];
}

/** Poetry and Pipenv list extras next to the version: `fastapi = { extras = ["standard"], version = "*" }`. */
const extras = (packages: Json) =>
  Object.entries(packages).flatMap(([name, wanted]) =>
    isRecord(wanted) ? textList(wanted['extras']).map((extra) => `${name}[${extra}]`) : [],
  );
