import type { DetectFinding, Provider, SourceTree } from '../detect.ts';
import { readJson } from '../json.ts';
import { languageVersion, toolVersions, versionFile } from '../language-version.ts';
import { childRecord, textEntries } from '../records.ts';
import type { VersionLine } from '../version-range.ts';

const line: VersionLine = { language: 'Deno', known: ['2', '1'], preferred: '2', aliases: { latest: '2' } };

const configs = ['deno.json', 'deno.jsonc'];
const entries = [
  'main.ts',
  'server.ts',
  'app.ts',
  'index.ts',
  'mod.ts',
  'main.tsx',
  'main.js',
  'server.js',
  'src/main.ts',
  'src/server.ts',
  'src/index.ts',
  'src/app.ts',
];

export const deno: Provider = {
  name: 'deno',
  looksFor: 'deno.json',
  async detect(tree) {
    const names = new Set(await tree.list(''));
    const config = configs.find((name) => names.has(name));
    const isDeno = names.has('deno.lock') || (config !== undefined && !names.has('package.json'));
    const entry = await findEntry(tree);
    if (!isDeno && (names.has('package.json') || !(await isForDeno(tree, entry)))) return undefined;
    const json = config ? await readJson(tree, config) : {};
    const [tasks, imports] = [
      textEntries(json['tasks']),
      JSON.stringify(childRecord(json, 'imports')).slice(0, 20_000),
    ];
    const isLume = /\blume\b/.test(imports) || names.has('_config.ts');
    const isFresh = /\$?fresh\b/.test(imports) || names.has('fresh.gen.ts');
    const build = tasks.has('build') ? 'deno task build' : null;
    const start = isLume ? null : startCommand(tasks, entry);
    const version = languageVersion(line, [
      await versionFile(tree, '.dvmrc'),
      await versionFile(tree, '.deno-version'),
      ...(await toolVersions(tree, 'deno')),
    ]);
    const what = isLume ? 'Lume' : isFresh ? 'Fresh' : 'Deno';
    return {
      ...version,
      framework: what.toLowerCase(),
      language: 'typescript',
      packageManager: 'deno',
      installCommand: config ? 'deno install' : null,
      installFiles: config
        ? [config, 'deno.lock', 'import_map.json', 'package.json'].filter((name) => names.has(name))
        : [],
      buildCommand: build,
      startCommand: start,
      outputDirectory: isLume && build ? '_site' : null,
      port: start ? 8000 : null,
      reasons: [
        ...(version.reasons ?? []),
        `${config ?? entry ?? 'deno.lock'}: ${what}, ${start ? `started with \`${start}\`` : isLume ? 'served from _site' : 'but no start task and no main.ts'}`,
      ],
    } satisfies DetectFinding;
  },
};

/** Returns a start task, unless it watches files. */
function startCommand(tasks: Map<string, string>, entry: string | undefined): string | null {
  const task = ['start', 'serve', 'preview'].find((name) => tasks.has(name) && !/--watch/.test(tasks.get(name)!));
  if (task) return `deno task ${task}`;
  return entry ? `deno run --allow-all ${entry}` : tasks.has('start') ? 'deno task start' : null;
}

async function findEntry(tree: SourceTree): Promise<string | undefined> {
  for (const entry of entries) if ((await tree.read(entry)) !== undefined) return entry;
  return undefined;
}

/** Without a configuration, the APIs that the program uses identify Deno. */
const isForDeno = async (tree: SourceTree, entry: string | undefined) =>
  entry !== undefined && /\bDeno\.\w|https:\/\/deno\.land\/|["']jsr:@/.test((await tree.read(entry)) ?? '');
