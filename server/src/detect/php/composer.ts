import type { SourceTree } from '../detect.ts';
import { readJson } from '../json.ts';
import { childRecord, isRecord, textEntries, textOrNull, type Json } from '../records.ts';

/** A requirement of the app or of one of its packages: `{ name: 'ext-gd', range: '*', by: 'mpdf/mpdf' }`. */
export type Requirement = { name: string; range: string; by: string };

/** What composer.json and composer.lock ask of PHP. */
export interface ComposerProject {
  json: Json;
  isLocked: boolean;
  /** Packages of composer.json that the lock file lacks, so that it cannot be installed. */
  unlocked: string[];
  /** Packages of composer.json. */
  own: Set<string>;
  /** With a lock file, all packages that get installed. */
  packages: Set<string>;
  /** `php`, `ext-*` and `composer-*` requirements. */
  requirements: Requirement[];
  /** Extensions that a package replaces: `ext-mongo`. */
  provided: Set<string>;
  /** Date of the newest locked package: `2021-10-05`. */
  lockedAt: string | undefined;
  /** The PHP version that Composer assumes, whichever runs it. */
  platform: string | null;
}

/** Reads both files as text where possible: a lock file can be longer than what is read of it. */
export async function readComposer(tree: SourceTree): Promise<ComposerProject> {
  const json = await readJson(tree, 'composer.json');
  const lock = await tree.read('composer.lock');
  const own = textEntries(json['require']);
  const { packages, requirements, provided, lockedAt, isWhole } = readLock(lock ?? '');
  const names = [...own.keys()].filter((name) => /^[\w.-]{1,80}\/[\w.-]{1,80}$/.test(name));
  return {
    json,
    isLocked: lock !== undefined,
    unlocked: isWhole
      ? names.map((name) => name.toLowerCase()).filter((name) => !packages.has(name) && !provided.has(name))
      : [],
    own: new Set(own.keys()),
    packages: new Set([...own.keys(), ...packages]),
    requirements: [...[...own].map(([name, range]) => ({ name, range, by: 'composer.json' })), ...requirements].filter(
      ({ name }) => isPlatform.test(name),
    ),
    provided,
    lockedAt,
    platform: lockedPlatform.exec(lock ?? '')?.[1] ?? textOrNull(childRecord(json, 'config', 'platform')['php']),
  };
}

const lockedPlatform = /"platform-overrides":\s{0,9}\{[^{}]{0,2000}?"php":\s{0,9}"([^"\n]{1,40})"/;
const isPlatform = /^(php(-64bit)?|ext-[\w-]{1,60}|composer-(plugin|runtime)-api)$/i;

/** Development packages are not installed and do not count. */
function readLock(lock: string) {
  const end = lock.search(/^ {4}"packages-dev":/m);
  const text = end < 0 ? lock : lock.slice(0, end);
  const packages = new Set<string>();
  const requirements: Requirement[] = [];
  const provided = new Set<string>();
  let lockedAt: string | undefined;
  let by = 'composer.lock';
  for (const [, name, kind, block = '', date] of text.matchAll(parts)) {
    if (name) packages.add((by = name.toLowerCase()));
    if (date && date > (lockedAt ?? '')) lockedAt = date;
    for (const [, key = '', range = ''] of block.matchAll(/"([^"\n]{1,100})":\s{0,9}"([^"\n]{0,200})"/g))
      if (kind === 'require') requirements.push({ name: key, range, by });
      else provided.add(key.toLowerCase());
  }
  return { packages, requirements, provided, lockedAt, isWhole: end >= 0 };
}

// A package in a lock file begins with its name and version.
const parts =
  /"name":\s{0,9}"([^"\n]{1,100})",\s{0,40}"version":|"(require|provide|replace)":\s{0,9}\{([^{}]*)\}|"time":\s{0,9}"(\d{4}-\d\d-\d\d)/g;

/** Hosts of package repositories besides Packagist, which often need a password. */
export function privateHosts({ json }: ComposerProject): string[] {
  const listed = json['repositories'];
  const all: unknown[] = Array.isArray(listed) ? listed : Object.values(isRecord(listed) ? listed : {});
  const urls = all.map((each) => (isRecord(each) && each['type'] === 'composer' ? textOrNull(each['url']) : null));
  const open = /^(repo\.)?packagist\.org$|^(asset-packagist\.org|packages\.drupal\.org|wpackagist\.org)$/;
  const hosts = urls.map((url) => /^https?:\/\/([a-z0-9.-]{1,100})/i.exec(url ?? '')?.[1]);
  return [...new Set(hosts.filter((host) => host !== undefined))].filter((host) => !open.test(host));
}
