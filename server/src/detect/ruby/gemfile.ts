import type { DetectFinding, SourceTree } from '../detect.ts';
import { languageVersion, toolVersions, versionFile } from '../language-version.ts';
import type { VersionLine } from '../version-range.ts';

const line: VersionLine = {
  language: 'Ruby',
  known: ['3.4', '3.3', '3.2', '3.1', '2.7'],
  preferred: '3.4',
  pessimisticTilde: true,
};

/** Gems of a Gemfile, which is code and not executed. */
export interface Gemfile {
  names: Set<string>;
  has: (...gems: string[]) => boolean;
}

export async function readGemfile(tree: SourceTree): Promise<Gemfile> {
  const source = ((await tree.read('Gemfile')) ?? '').slice(0, 200_000);
  const gems = new Set([...source.matchAll(/^[ \t]*gem[ (]+["']([\w.-]{1,80})["']/gm)].map((match) => match[1]!));
  // A Gemfile with a gemspec lists its gems in the lock file only.
  const locked = ((await tree.read('Gemfile.lock')) ?? '').slice(0, 500_000);
  const names = new Set([...gems, ...[...locked.matchAll(/^ {4}([\w.-]{1,80}) \(/gm)].map((match) => match[1]!)]);
  return { names: gems, has: (...wanted) => wanted.some((gem) => names.has(gem)) };
}

/** Gems are installed into the app's folder, so that the install need not write to Ruby's own. */
export const bundleInstall =
  "bundle config set --local path vendor/bundle && bundle config set --local without 'development test' && bundle install";

export async function bundleFiles(tree: SourceTree): Promise<string[]> {
  const names = new Set(await tree.list(''));
  const isLocal = /\bpath:|\bgemspec\b|eval_gemfile|File\.read/.test((await tree.read('Gemfile')) ?? '');
  return isLocal
    ? []
    : ['Gemfile', 'Gemfile.lock', '.ruby-version', '.tool-versions'].filter((name) => names.has(name));
}

export async function rubyVersion(tree: SourceTree): Promise<DetectFinding> {
  const gemfile = (await tree.read('Gemfile')) ?? '';
  const locked = (await tree.read('Gemfile.lock')) ?? '';
  return languageVersion(line, [
    await versionFile(tree, '.ruby-version', /^ruby-/),
    { wanted: /^[ \t]*ruby[ (]+["']([^"'\n]{1,60})["']/m.exec(gemfile)?.[1], from: 'Gemfile' },
    { wanted: /^ {3}ruby (\d+\.\d+\.\d+)/m.exec(locked)?.[1], from: 'Gemfile.lock' },
    ...(await toolVersions(tree, 'ruby')),
  ]);
}
