import type { DetectFinding, SourceTree } from './detect.ts';
import { childRecord, textOrNull, textList } from './records.ts';
import { readToml } from './toml.ts';
import { pickVersion, rangeIn, type VersionLine } from './version-range.ts';

/** A version from a source file. */
export type VersionSign = { wanted: string | null | undefined; from: string };

/** Returns the version of the first file that names one. */
export function languageVersion(line: VersionLine, signs: VersionSign[]): DetectFinding {
  for (const { wanted, from } of signs) {
    const version = wanted ? pickVersion(wanted, line) : undefined;
    if (wanted && version)
      return {
        languageVersion: version,
        languageRequest: { said: plainText(wanted), range: rangeIn(wanted, line), from },
        reasons: [`${from}: ${line.language} ${version}`],
      };
  }
  const odd = signs.find(({ wanted }) => wanted);
  if (!odd) return {};
  return { reasons: [`${odd.from}: no version of ${line.language} that Mooring understands; using the default`] };
}

/** For messages: one short line. */
const plainText = (text: string): string =>
  text
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 60);

/** Returns the first line of a version file, such as .nvmrc. */
export async function versionFile(tree: SourceTree, path: string, prefix?: RegExp): Promise<VersionSign> {
  const lines = ((await tree.read(path)) ?? '').slice(0, 1000).split('\n');
  const first = lines.map((line) => line.replace(/#.*$/, '').trim()).find(Boolean);
  return { wanted: prefix ? first?.replace(prefix, '') : first, from: path };
}

/** Returns the versions for asdf and mise, under any name of the tool. */
export async function toolVersions(tree: SourceTree, ...names: string[]): Promise<VersionSign[]> {
  const signs: VersionSign[] = [];
  for (const from of ['mise.toml', '.mise.toml']) {
    const tools = childRecord(await readToml(tree, from), 'tools');
    const name = names.find((each) => Object.hasOwn(tools, each));
    if (name)
      signs.push({
        wanted: textOrNull(tools[name]) ?? textList(tools[name])[0] ?? textOrNull(childRecord(tools, name)['version']),
        from,
      });
  }
  const lines = ((await tree.read('.tool-versions')) ?? '').slice(0, 10_000).split('\n');
  const words = lines.map((line) => line.trim().split(/\s+/)).find(([name]) => names.includes(name ?? ''));
  if (words) signs.push({ wanted: words[1], from: '.tool-versions' });
  return signs;
}
