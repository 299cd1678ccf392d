import type { DetectFinding, SourceTree } from '../detect.ts';
import { languageVersion, toolVersions, versionFile } from '../language-version.ts';
import { rangeAllows, type VersionLine } from '../version-range.ts';
import type { ComposerProject, Requirement } from './composer.ts';

/** Versions with the month of their release, newest first. */
const releases: [version: string, month: string][] = [
  ['8.5', '2025-11'],
  ['8.4', '2024-11'],
  ['8.3', '2023-11'],
  ['8.2', '2022-12'],
  ['8.1', '2021-11'],
  ['8.0', '2020-11'],
  ['7.4', '2019-11'],
  ['7.3', '2018-12'],
  ['7.2', '2017-11'],
  ['7.1', '2016-12'],
  ['7.0', '2015-12'],
  ['5.6', '2014-08'],
];

const line: VersionLine = {
  language: 'PHP',
  known: releases.map(([version]) => version),
  preferred: '8.4',
  pessimisticTilde: true,
};

/**
 * Returns the version that a file names, else the newest that all packages allow and that existed when they were
 * locked: ranges such as `>=7.1` also allow versions that are too new for the code.
 */
export async function phpVersion(tree: SourceTree, composer?: ComposerProject): Promise<DetectFinding> {
  const requirements = (composer?.requirements ?? []).filter(({ name }) => /^php/i.test(name));
  const named = languageVersion(line, [
    // Composer solves for this version, whichever runs it, and refuses packages for another one.
    { wanted: /^\d+\.\d+/.exec(composer?.platform ?? '')?.[0], from: 'config.platform of composer.json' },
    await versionFile(tree, '.php-version'),
    ...(await toolVersions(tree, 'php')),
  ]);
  const { languageVersion: version, reasons: why = [] } = named;
  const refusing = version && !composer?.platform ? requirements.find((each) => !isAllowed(each, version)) : null;
  if (!requirements.length || (version && !refusing)) return named;
  const refused = refusing
    ? [`${why.join('')} is not possible, because ${refusing.by} requires ${refusing.range}`]
    : why;
  const fitting = line.known.filter((each) => requirements.every((requirement) => isAllowed(requirement, each)));
  if (!fitting.length) return { reasons: [...refused, contradiction(requirements)] };
  const today = ofToday(fitting);
  const month = composer?.lockedAt?.slice(0, 7);
  const chosen = month === undefined ? today : ofItsTime(fitting, month);
  const age = chosen === today ? '' : `, the newest in ${month}, when its packages were locked`;
  const from = composer?.isLocked ? 'composer.lock' : 'composer.json';
  const warning = rangeAllows(`>=${oldest}`, chosen, {})
    ? []
    : [`PHP ${chosen} is too old to install its Debian packages safely; upgrade the app, or add a Dockerfile`];
  return { languageVersion: chosen, reasons: [...refused, `${from}: PHP ${chosen}${age}`, ...warning] };
}

const isAllowed = ({ range }: Requirement, version: string) => rangeAllows(range, version, line);

const ofToday = (fitting: string[]) => (fitting.includes(line.preferred) ? line.preferred : fitting[0]!);

/** Debian no longer signs the packages for the images of older versions. */
const oldest = '7.1';

/** Returns the newest that was released by then, else the oldest later one. */
function ofItsTime(fitting: string[], month: string): string {
  const released = new Map(releases);
  const elder = fitting.filter((version) => released.get(version)! <= month || version === oldest);
  return elder.length ? ofToday(elder) : fitting.at(-1)!;
}

function contradiction(requirements: Requirement[]): string {
  const said = [...new Map(requirements.map(({ by, range }) => [range, `${by} (${range})`])).values()];
  return `composer.lock: no version of PHP satisfies all of ${said.slice(0, 4).join(', ')}; using the default`;
}
