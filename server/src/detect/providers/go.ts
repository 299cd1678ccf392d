import { posix } from 'node:path';
import type { EnclosingSource, Provider, SourceTree } from '../detect.ts';
import { findFiles } from '../find-files.ts';
import { nearestAbove } from '../folders-above.ts';
import { languageVersion, toolVersions, versionFile } from '../language-version.ts';
import { platformSettings } from '../platforms/index.ts';
import { plainName, plainPath } from '../plain-names.ts';
import type { VersionLine } from '../version-range.ts';

const line: VersionLine = {
  language: 'Go',
  known: ['1.26', '1.25', '1.24', '1.23', '1.22', '1.21'],
  preferred: '1.24',
};

const frameworks = [
  ['gin', 'Gin', 'github.com/gin-gonic/gin'],
  ['echo', 'Echo', 'github.com/labstack/echo'],
  ['fiber', 'Fiber', 'github.com/gofiber/fiber'],
  ['chi', 'chi', 'github.com/go-chi/chi'],
  ['beego', 'Beego', 'github.com/beego/beego'],
  ['buffalo', 'Buffalo', 'github.com/gobuffalo/buffalo'],
] as const;

/** A program: its folder and binary. */
type Main = { folder: string; binary: string };

export const go: Provider = {
  name: 'go',
  looksFor: 'go.mod',
  async detect(tree, _, outer) {
    const own = new Set(await tree.list(''));
    const above = own.has('go.mod') || own.has('go.work') ? undefined : await moduleAbove(tree, outer);
    const names = above ? new Set(await above.tree.list('')) : own;
    const sign = ['go.mod', 'go.work', 'main.go'].find((name) => names.has(name));
    if (!sign || (sign === 'main.go' && !(await isMain(tree, '')))) return undefined;
    const module = above?.text ?? (await tree.read('go.mod')) ?? '';
    const program = above
      ? plainName(posix.basename(outer!.folder))
      : own.has('go.mod')
        ? moduleName(module)
        : undefined;
    const main = await findMain(tree, program ?? 'app');
    const [framework, frameworkName] = frameworks.find(([, , path]) => module.includes(path)) ?? ['go', 'Go'];
    const version = languageVersion(line, [
      { wanted: directive(module, 'toolchain')?.replace(/^go/, ''), from: 'toolchain of go.mod' },
      { wanted: directive(module, 'go'), from: 'go.mod' },
      { wanted: directive((await tree.read('go.work')) ?? '', 'go'), from: 'go.work' },
      await versionFile(tree, '.go-version'),
      ...(await toolVersions(tree, 'go', 'golang')),
    ]);
    const prepare = preparation(names, sign, module);
    const build = main && `${prepare}go build -o bin/ ${main.folder ? `./${main.folder}` : '.'}`;
    const start = main ? `./bin/${main.binary}` : null;
    const download = names.has('vendor/') || prepare ? null : 'go mod download';
    return {
      ...version,
      ...(above && { workspaceDirectory: above.folder }),
      framework,
      language: 'go',
      packageManager: 'go',
      adapt: (command) => (main ? adaptCommand(command, main.binary) : command),
      installCommand: download,
      installFiles:
        download && !above && !names.has('go.work') ? ['go.mod', 'go.sum'].filter((name) => names.has(name)) : [],
      buildCommand: build ?? null,
      startCommand: start,
      port: start ? 8080 : null,
      reasons: [
        ...(version.reasons ?? []),
        `${sign}: ${frameworkName}${start ? `, built with \`${build}\`, started with \`${start}\`` : ', but no main package in the root, in cmd or in a module of the workspace, and not exactly one elsewhere'}`,
      ],
    };
  },
};

/** A program of a module whose root is a folder above it. */
const moduleAbove = async (tree: SourceTree, outer: EnclosingSource | undefined) =>
  (await isMain(tree, '')) ? await nearestAbove(outer, 'go.mod') : undefined;

/** A build needs a module, and the sums of its dependencies. */
function preparation(names: Set<string>, sign: string, module: string): string {
  if (sign === 'main.go')
    return names.has('vendor/') ? 'export GO111MODULE=off && ' : 'go mod init app && go mod tidy && ';
  const isComplete =
    sign !== 'go.mod' || names.has('go.sum') || names.has('vendor/') || !/^[ \t]{0,20}require\b/m.test(module);
  return isComplete ? '' : 'go mod tidy && ';
}

/** The image that runs the program has no compiler, and Heroku has the folder `bin` on the PATH. */
function adaptCommand(command: string, binary: string): string {
  const [, program, rest = ''] = /^(?:\.?\/?bin\/)?([\w.-]+)((?:\s.*)?)$/.exec(command) ?? [];
  if (/^go run\b/.test(command)) return `./bin/${binary}`;
  return program === binary ? `./bin/${binary}${rest}` : command;
}

const directive = (module: string, name: string) => new RegExp(`^${name}[ \\t]+([\\w.]{1,30})`, 'm').exec(module)?.[1];

/** The last part of the module path is the program name, except `v2` and the like. */
function moduleName(module: string): string {
  const path = /^module[ \t]+"?([^\s"]{1,300})/m.exec(module)?.[1] ?? '';
  const parts = path.split('/').filter((part) => !/^v\d+$/.test(part));
  return plainName(parts.at(-1)) ?? 'app';
}

async function findMain(tree: SourceTree, program: string): Promise<Main | undefined> {
  if (await isMain(tree, '')) return { folder: '', binary: program };
  const commands = (await tree.list('cmd'))
    .filter((name) => name.endsWith('/'))
    .map((name) => `cmd/${name.slice(0, -1)}`);
  // Typical names of servers come first; others are often tools.
  const declared = (await platformSettings(tree)).map(
    ({ start }) => /^(?:\.?\/?bin\/)?([\w.-]+)(?=\s|$)/.exec(start ?? '')?.[1],
  );
  const usual = [...declared, program, 'server', 'web', 'api', 'app', 'main'];
  const rank = (folder: string) => usual.indexOf(posix.basename(folder)) >>> 0;
  const candidates = [
    'cmd',
    ...commands.toSorted((a, b) => rank(a) - rank(b)),
    ...(await workspaceModules(tree)),
    'server',
    'src',
    'app',
    'api',
  ];
  for (const folder of candidates.slice(0, 60)) {
    const plain = plainPath(folder);
    if (!plain || !(await isMain(tree, plain))) continue;
    const own = await tree.read(`${plain}/go.mod`);
    return { folder: plain, binary: own === undefined ? posix.basename(plain) : moduleName(own) };
  }
  return await onlyMain(tree);
}

/** Returns the only program of a module, anywhere else in it. */
async function onlyMain(tree: SourceTree): Promise<Main | undefined> {
  const files = await findFiles(tree, (name) => name === 'main.go', { depth: 4 });
  const folders = files.flatMap((file) => plainPath(posix.dirname(file)) || []).filter((folder) => !aside.test(folder));
  const [first, second] = folders.map((folder) => ({ folder, binary: posix.basename(folder) }));
  return second ? undefined : first;
}

// Programs in these folders are no servers.
const aside = /(^|\/)(examples?|_?samples?|docs?|hack|scripts?|tools?|testdata|internal\/tools|benchmarks?|e2e)(\/|$)/;

/** Returns the modules of go.work. */
async function workspaceModules(tree: SourceTree): Promise<string[]> {
  const work = ((await tree.read('go.work')) ?? '').slice(0, 50_000);
  return [...work.matchAll(/^[ \t]*(?:use\s+)?(\.\/[\w./-]+)/gm)].map((match) => match[1]!);
}

async function isMain(tree: SourceTree, folder: string): Promise<boolean> {
  const files = (await tree.list(folder)).filter((name) => name.endsWith('.go') && !name.endsWith('_test.go'));
  const first = files.includes('main.go') ? ['main.go'] : files.slice(0, 10);
  for (const name of first) {
    const source = await tree.read(folder ? `${folder}/${name}` : name);
    const declared = /^package (\w{1,60})/m.exec(source?.slice(0, 20_000) ?? '')?.[1];
    if (declared === 'main' || (name === 'main.go' && declared === undefined)) return true;
  }
  return false;
}
