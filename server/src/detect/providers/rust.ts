import { posix } from 'node:path';
import type { Provider, SourceTree } from '../detect.ts';
import { languageVersion, toolVersions, versionFile } from '../language-version.ts';
import { nearestAbove } from '../folders-above.ts';
import { plainName, plainPath } from '../plain-names.ts';
import { childRecord, isRecord, textOrNull, textList, type Json } from '../records.ts';
import { readToml } from '../toml.ts';
import type { VersionLine } from '../version-range.ts';
import { requireFewPatterns, workspaceMembers } from '../workspaces.ts';

const line: VersionLine = {
  language: 'Rust',
  known: ['1'],
  preferred: '1',
  aliases: { stable: '1', beta: '1', nightly: '1' },
};

const frameworks = [
  ['axum', 'Axum', 3000],
  ['actix-web', 'Actix Web', 8080],
  ['rocket', 'Rocket', 8000],
  ['warp', 'warp', 3030],
  ['poem', 'Poem', 3000],
  ['tide', 'Tide', 8080],
  ['leptos', 'Leptos', 3000],
  ['loco-rs', 'Loco', 5150],
] as const;

/** A package of the workspace and its program. */
type Program = { manifest: Json; binary: string };

export const rust: Provider = {
  name: 'rust',
  looksFor: 'Cargo.toml',
  async detect(tree, _, outer) {
    const manifest = await readToml(tree, 'Cargo.toml');
    if (!manifest) return undefined;
    const above = await nearestAbove(outer, 'Cargo.toml', (text) => /^\[workspace\]/m.test(text));
    const root = above?.tree ?? tree;
    const names = new Set(await root.list(''));
    const program = await findProgram(tree, manifest);
    const dependencies = {
      ...childRecord(manifest, 'workspace', 'dependencies'),
      ...childRecord(program?.manifest, 'dependencies'),
    };
    const [framework, frameworkName, port] = frameworks.find(([name]) => Object.hasOwn(dependencies, name)) ?? [
      'rust',
      'Rust',
      8080,
    ];
    const version = languageVersion(line, await signs(root, program?.manifest ?? manifest));
    const target = await wasmTarget(tree);
    // Queries are checked against the saved answers of a database, not against one that the build cannot reach.
    const isOffline = ['.sqlx/', 'sqlx-data.json'].some((name) => names.has(name));
    const build = `${isOffline ? 'SQLX_OFFLINE=true ' : ''}cargo build --release${names.has('Cargo.lock') ? ' --locked' : ''}${above ? ' --target-dir target' : ''}${program ? ` --bin ${program.binary}` : ''}`;
    const binary = program && `./target/${target ? `${target}/` : ''}release/${program.binary}`;
    const start = binary ? (target ? `lunatic ${binary}.wasm` : binary) : null;
    return {
      ...version,
      ...(above && { workspaceDirectory: above.folder }),
      framework,
      language: 'rust',
      packageManager: 'cargo',
      // The image that runs the program has no compiler.
      adapt: (command) => (start && /^cargo run\b/.test(command) ? start : command),
      buildCommand: build,
      startCommand: start,
      port: start ? port : null,
      systemPackages: names.has('Cargo.lock')
        ? librariesIn((await root.read('Cargo.lock')) ?? '')
        : likelyLibraries(dependencies),
      reasons: [
        ...(version.reasons ?? []),
        `Cargo.toml: ${frameworkName}, ${start ? `built with \`${build}\`, started with \`${start}\`` : 'but no program: no src/main.rs, no bin, no such member'}`,
      ],
    };
  },
};

async function signs(tree: SourceTree, manifest: Json) {
  const toolchain = await readToml(tree, 'rust-toolchain.toml');
  const channel = (wanted: string | null | undefined) => wanted?.replace(/^(nightly|beta|stable)-.*$/, '$1');
  const plain = await versionFile(tree, 'rust-toolchain');
  return [
    { wanted: channel(textOrNull(childRecord(toolchain, 'toolchain')['channel'])), from: 'rust-toolchain.toml' },
    { ...plain, wanted: channel(plain.wanted) },
    ...(await toolVersions(tree, 'rust')),
    // A minimum version, so newer ones work.
    {
      wanted: atLeast(textOrNull(childRecord(manifest, 'package')['rust-version'])),
      from: 'rust-version of Cargo.toml',
    },
  ];
}

const atLeast = (version: string | null) => version && `>=${version}`;

async function findProgram(tree: SourceTree, manifest: Json): Promise<Program | undefined> {
  const own = await programOf(tree, '', manifest);
  if (own) return own;
  const patterns = textList(childRecord(manifest, 'workspace')['members']);
  requireFewPatterns({ file: 'Cargo.toml', patterns });
  const members = await workspaceMembers(tree, patterns, 'Cargo.toml');
  const programs: Program[] = [];
  for (const member of members.slice(0, 40)) {
    const inner = await readToml(tree, posix.join(member, 'Cargo.toml'));
    const program = inner && (await programOf(tree, member, inner));
    if (program) programs.push(program);
  }
  // Others are often tools.
  const isServer = (program: Program) =>
    frameworks.some(([name]) => Object.hasOwn(childRecord(program.manifest, 'dependencies'), name));
  return programs.find(isServer) ?? programs[0];
}

async function programOf(tree: SourceTree, folder: string, manifest: Json): Promise<Program | undefined> {
  const about = childRecord(manifest, 'package');
  const name = plainName(textOrNull(about['name']));
  if (!name) return undefined;
  const bins = (Array.isArray(manifest['bin']) ? (manifest['bin'] as unknown[]) : []).filter(isRecord);
  const named = bins.map((bin) => plainName(textOrNull(bin['name']))).filter((each) => each !== undefined);
  const preferred = plainName(textOrNull(about['default-run']));
  if (preferred) return { manifest, binary: preferred };
  const hasMain = (await tree.read(posix.join(folder, 'src/main.rs'))) !== undefined;
  // A bin with the path of the main file renames the main program.
  const renamed = bins.find((bin) => ['src/main.rs', './src/main.rs'].includes(textOrNull(bin['path']) ?? ''));
  const others = (await tree.list(posix.join(folder, 'src/bin'))).map((file) =>
    plainPath(file.replace(/(\.rs|\/)$/, '')),
  );
  const binary = hasMain ? (plainName(textOrNull(renamed?.['name'])) ?? name) : (named[0] ?? others.find(Boolean));
  return binary ? { manifest, binary } : undefined;
}

/** Programs for WebAssembly that a separate runner executes. */
async function wasmTarget(tree: SourceTree): Promise<string | undefined> {
  const config = await readToml(tree, '.cargo/config.toml');
  const target = plainName(textOrNull(childRecord(config, 'build')['target']));
  return target?.startsWith('wasm32') &&
    textOrNull(childRecord(config, 'target', target)['runner'])?.startsWith('lunatic')
    ? target
    : undefined;
}

const libraries = {
  'openssl-sys': 'libssl3',
  'pq-sys': 'libpq5',
  'mysqlclient-sys': 'libmariadb3',
  'libsqlite3-sys': 'libsqlite3-0',
};

/** Without a lock file: features of the dependencies that link a library. */
function likelyLibraries(dependencies: Json): string[] {
  const has = (name: string) => Object.hasOwn(dependencies, name);
  const featuresOf = (name: string) => textList(childRecord(dependencies, name)['features']);
  const usesDefaults = (name: string) => has(name) && childRecord(dependencies, name)['default-features'] !== false;
  const all = Object.keys(dependencies).flatMap(featuresOf);
  const needs: [boolean, string][] = [
    [['openssl', 'native-tls', 'git2'].some(has), 'libssl3'],
    [['reqwest', 'lettre'].some(usesDefaults), 'libssl3'],
    [all.some((feature) => /native-tls|openssl/.test(feature)), 'libssl3'],
    [featuresOf('diesel').includes('postgres'), 'libpq5'],
    [featuresOf('diesel').includes('mysql'), 'libmariadb3'],
    [featuresOf('diesel').includes('sqlite') || has('rusqlite'), 'libsqlite3-0'],
  ];
  return [...new Set(needs.flatMap(([isNeeded, library]) => (isNeeded ? [library] : [])))];
}

/** Returns the system libraries that the program is linked with. */
const librariesIn = (locked: string): string[] =>
  Object.entries(libraries)
    .filter(([name]) => locked.includes(`name = "${name}"`))
    .map(([, library]) => library);
