import type { DetectFinding } from '../detect.ts';
import { languageVersion, type VersionSign, toolVersions, versionFile } from '../language-version.ts';
import { childRecord, textOrNull } from '../records.ts';
import { rangeAllows, type VersionLine } from '../version-range.ts';
import type { PythonProject } from './project.ts';

const line: VersionLine = {
  language: 'Python',
  known: ['3.14', '3.13', '3.12', '3.11', '3.10', '3.9', '3.8', '3.7', '3.6'],
  preferred: '3.13',
  aliases: { latest: '3.13', '3': '3.13' },
};

/**
 * Packages whose older releases do not install or run on newer versions: `<1.19 3.8` means that releases below
 * 1.19 need at most Python 3.8.
 */
const limits: Record<string, string> = {
  aiohttp: '<3.8 3.9, <3.9 3.11, <3.10 3.12',
  asyncpg: '<0.25 3.9, <0.27 3.10, <0.29 3.11, <0.30 3.12',
  cffi: '<1.14 3.8, <1.15 3.9, <1.16 3.11, <1.17 3.12',
  django: '<2.2 3.7, <3.2 3.9, <4.1 3.10, <4.2 3.11, <5.1 3.12',
  eventlet: '<0.31 3.9, <0.34 3.11',
  flask: '<1 3.8, <2 3.9',
  gevent: '<21 3.9, <23 3.11, <24.10 3.12',
  greenlet: '<1 3.9, <2 3.10, <3 3.11, <3.1 3.12',
  grpcio: '<1.42 3.9, <1.49 3.10, <1.58 3.11, <1.66 3.12',
  httptools: '<0.4 3.9, <0.6 3.11, <0.6.4 3.12',
  lxml: '<4.6 3.9, <4.9 3.10, <5 3.11, <5.3 3.12',
  markupsafe: '<1.1 3.7, <2 3.9',
  matplotlib: '<3.3 3.8, <3.5 3.9, <3.6 3.10, <3.8 3.11, <3.9.2 3.12',
  numpy: '<1.19 3.8, <1.21 3.9, <1.23 3.10, <1.26 3.11, <2.1 3.12',
  orjson: '<3.6 3.9, <3.8 3.10, <3.9.8 3.11, <3.10.7 3.12',
  pandas: '<1.1 3.8, <1.3 3.9, <1.5 3.10, <2.1 3.11, <2.2.3 3.12',
  pillow: '<7 3.7, <8 3.8, <9 3.9, <9.3 3.10, <10.1 3.11, <11 3.12',
  'psycopg2-binary': '<2.8 3.7, <2.9 3.9, <2.9.5 3.10, <2.9.9 3.11, <2.9.10 3.12',
  pydantic: '<1.10.13 3.11, <2 3.12, <2.8 3.12',
  'pydantic-core': '<2.20 3.12',
  pyyaml: '<5.1 3.8, <6 3.9, <6.0.1 3.11, <6.0.2 3.12',
  'scikit-learn': '<0.24 3.8, <1 3.9, <1.1 3.10, <1.3 3.11, <1.5.2 3.12',
  scipy: '<1.6 3.8, <1.7 3.9, <1.9.2 3.10, <1.11.2 3.11, <1.14.1 3.12',
  spacy: '<3.2 3.9, <3.5 3.10, <3.7 3.11, <3.8.3 3.12',
  sqlalchemy: '<1.4 3.9, <1.4.50 3.11, <2.0.31 3.12',
  tensorflow: '<2.5 3.8, <2.8 3.9, <2.12 3.10, <2.16 3.11, <2.20 3.12',
  torch: '<1.11 3.9, <2 3.10, <2.2 3.11, <2.5 3.12',
  'typed-ast': '<1.5 3.8, <2 3.11',
  uvloop: '<0.16 3.9, <0.17 3.10, <0.19 3.11, <0.21 3.12',
  werkzeug: '<1 3.8, <2 3.9',
};

/** Pinned releases that load `pkg_resources`, which setuptools 82 removed. Lock files name a setuptools that has it. */
const oldResources: Record<string, string> = {
  apscheduler: '<3.11',
  coreapi: '<3',
  'djangorestframework-simplejwt': '<5.3',
  'drf-yasg': '<1.21.8',
  gcloud: '<1',
  gunicorn: '<21',
  pyramid: '<3',
  razorpay: '<2',
  supervisor: '<4.3',
};

/** Returns the setuptools to add to a list for pip, if one of its packages needs an old one. */
export const oldSetuptools = ({ pinned }: PythonProject): string | null =>
  !pinned.has('setuptools') &&
  Object.entries(oldResources).some(
    ([name, range]) => pinned.has(name) && rangeAllows(range, complete(pinned.get(name)!)),
  )
    ? "'setuptools<81'"
    : null;

/** Returns the version that the source names, else the newest that its pinned packages support. */
export async function pythonVersion(project: PythonProject): Promise<DetectFinding> {
  const signs = await signsOf(project);
  const elder = signs.find(({ wanted }) => /^\D{0,3}2(\.|$)/.test(wanted ?? ''));
  const limit = newestFor(project);
  // Versions up to the limit come first.
  const best = limit ? line.known.slice(line.known.indexOf(limit.python)) : [];
  const found = languageVersion(
    limit ? { ...line, preferred: limit.python, known: [...best, ...line.known.toReversed()] } : line,
    signs.filter((sign) => sign !== elder),
  );
  const reasons = [
    ...(elder
      ? [`${elder.from}: Python 2 is not supported; port the app to Python 3 (2to3 helps), or add a Dockerfile`]
      : []),
    ...(found.reasons ?? []),
  ];
  if (found.languageVersion || !limit) return { ...found, reasons };
  const because = `${limit.name} ${limit.version}: Python ${limit.python}, the newest that it supports`;
  return { languageVersion: limit.python, reasons: [...reasons, because] };
}

async function signsOf({ tree, pyproject, pipfile }: PythonProject): Promise<VersionSign[]> {
  const { wanted, from } = await versionFile(tree, '.python-version', /^(cpython|python)[-@]?/);
  const setup = `${(await tree.read('setup.cfg')) ?? ''}\n${(await tree.read('setup.py')) ?? ''}`.slice(0, 100_000);
  return [
    // `3.13t` is a variant of the same version.
    { wanted: wanted?.replace(/^(\d+\.\d+(?:\.\d+)?)[a-z-].*$/, '$1'), from },
    await versionFile(tree, 'runtime.txt', /^python-?/),
    ...(await toolVersions(tree, 'python')),
    { wanted: textOrNull(childRecord(pipfile, 'requires')['python_full_version']), from: 'Pipfile' },
    { wanted: textOrNull(childRecord(pipfile, 'requires')['python_version']), from: 'Pipfile' },
    {
      wanted: textOrNull(childRecord(pyproject, 'project')['requires-python']),
      from: 'requires-python of pyproject.toml',
    },
    { wanted: textOrNull(childRecord(pyproject, 'tool', 'poetry', 'dependencies')['python']), from: 'pyproject.toml' },
    { wanted: /^\s{0,9}python_requires\s{0,9}=\s{0,9}["']?([^"'\n]{1,60})/m.exec(setup)?.[1], from: 'python_requires' },
  ];
}

type Limit = { name: string; version: string; python: string };

/** Returns the strictest limit of the pinned packages. */
function newestFor({ pinned }: PythonProject): Limit | undefined {
  const all = Object.entries(limits).flatMap(([name, steps]): Limit[] => {
    const version = pinned.get(name);
    if (version === undefined) return [];
    const step = steps.split(', ').find((each) => rangeAllows(each.split(' ')[0]!, complete(version), {}));
    return step ? [{ name, version, python: step.split(' ')[1]! }] : [];
  });
  const rank = ({ python }: Limit) => line.known.indexOf(python);
  return all.toSorted((a, b) => rank(b) - rank(a))[0];
}

/** `2.0` is a release here, and not the newest of a line. */
const complete = (version: string) => [...version.split('.'), '0', '0'].slice(0, 3).join('.');
