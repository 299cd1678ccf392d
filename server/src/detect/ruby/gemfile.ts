import type { DetectFinding, SourceTree } from '../detect.ts';
import { languageVersion, toolVersions, versionFile } from '../language-version.ts';
import { rangeAllows, type VersionLine } from '../version-range.ts';

const line: VersionLine = {
  language: 'Ruby',
  known: ['4.0', '3.4', '3.3', '3.2', '3.1', '3.0', '2.7', '2.6', '2.5', '2.4', '2.3'],
  preferred: '3.4',
  pessimisticTilde: true,
};

/** Gems of a Gemfile, which is code and not executed. */
export interface Gemfile {
  names: Set<string>;
  has: (...gems: string[]) => boolean;
  /** Locked version of a gem. */
  version: (gem: string) => string | undefined;
  /** Version of Bundler that wrote the lock file. */
  bundler: string | undefined;
}

export async function readGemfile(tree: SourceTree): Promise<Gemfile> {
  const source = ((await tree.read('Gemfile')) ?? '').slice(0, 200_000);
  const gems = new Set([...source.matchAll(/^[ \t]*gem[ (]+["']([\w.-]{1,80})["']/gm)].map((match) => match[1]!));
  // A Gemfile with a gemspec lists its gems in the lock file only.
  const locked = ((await tree.read('Gemfile.lock')) ?? '').slice(0, 500_000);
  const versions = new Map(
    [...locked.matchAll(/^ {4}([\w.-]{1,80}) \((\d[\d.]{0,20})/gm)].map((match) => [match[1]!, match[2]!]),
  );
  return {
    names: gems,
    has: (...wanted) => wanted.some((gem) => gems.has(gem) || versions.has(gem)),
    version: (gem) => versions.get(gem),
    bundler: /^BUNDLED WITH\r?\n\s{1,9}(\d{1,4}\.\d{1,4}\.\d{1,4})/m.exec(locked)?.[1],
  };
}

/** Gems are installed into the app's folder, so that the install need not write to Ruby's own. */
export function bundlerCommands({ bundler }: Gemfile) {
  // Bundler 1 takes `set` for the name of a setting, and does not fail.
  const isFirst = bundler?.startsWith('1.') ?? false;
  const [set, groups] = isFirst ? ['config', 'development:test'] : ['config set', "'development test'"];
  return {
    packageManager: 'bundler',
    // The last of its line, because earlier ones fail on newer versions of RubyGems.
    packageManagerVersion: isFirst ? '1.17.3' : null,
    installCommand: `bundle ${set} --local path vendor/bundle && bundle ${set} --local without ${groups} && bundle install`,
  };
}

export async function bundleFiles(tree: SourceTree): Promise<string[]> {
  const names = new Set(await tree.list(''));
  const isLocal = /\bpath:|\bgemspec\b|eval_gemfile|File\.read/.test((await tree.read('Gemfile')) ?? '');
  return isLocal
    ? []
    : ['Gemfile', 'Gemfile.lock', '.ruby-version', '.tool-versions'].filter((name) => names.has(name));
}

/** Rails versions that do not run on newer versions of Ruby: versions below the first need at most the second. */
const limits = [
  ['4.2', '2.3'],
  ['5.0', '2.5'],
  ['5.2', '2.6'],
  ['6.1', '2.7'],
  ['7.0', '3.0'],
  ['7.1', '3.2'],
] as const;

/** Returns the version that the source names, else the newest that its gems support. */
export async function rubyVersion(tree: SourceTree): Promise<DetectFinding> {
  const gemfile = (await tree.read('Gemfile')) ?? '';
  const locked = (await tree.read('Gemfile.lock')) ?? '';
  const gems = await readGemfile(tree);
  const rails = gems.version('railties') ?? gems.version('rails');
  const limit = rails
    ? limits.find(([below]) => rangeAllows(`<${below}`, rails, {}))?.[1]
    : gems.bundler?.startsWith('1.')
      ? '2.7'
      : undefined;
  const known = limit ? [...line.known.slice(line.known.indexOf(limit)), ...line.known.toReversed()] : line.known;
  const found = languageVersion({ ...line, known, preferred: limit ?? line.preferred }, [
    await versionFile(tree, '.ruby-version', /^ruby-/),
    { wanted: /^[ \t]*ruby[ (]+["']([^"'\n]{1,60})["']/m.exec(gemfile)?.[1], from: 'Gemfile' },
    { wanted: /^ {3}ruby (\d+\.\d+\.\d+)/m.exec(locked)?.[1], from: 'Gemfile.lock' },
    ...(await toolVersions(tree, 'ruby')),
  ]);
  if (found.languageVersion || !limit) return found;
  const because = rails ? `Rails ${rails}: Ruby ${limit}, the newest that it supports` : `Bundler 1: Ruby ${limit}`;
  return { languageVersion: limit, reasons: [...(found.reasons ?? []), `Gemfile.lock: ${because}`] };
}
