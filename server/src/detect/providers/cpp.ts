import type { DetectFinding, Provider, SourceTree } from '../detect.ts';
import { plainName, plainPath } from '../plain-names.ts';

type Recipe = { file: string; manager: string; build: string; start: string | null; sources: string };

export const cpp: Provider = {
  name: 'cpp',
  looksFor: 'CMakeLists.txt',
  async detect(tree) {
    const recipe = (await cmake(tree)) ?? (await meson(tree)) ?? (await make(tree));
    if (!recipe) return undefined;
    const { file, manager, build, start, sources } = recipe;
    const isCpp = await hasCpp(tree, sources);
    return {
      framework: manager,
      language: isCpp ? 'cpp' : 'c',
      packageManager: manager,
      buildCommand: build,
      startCommand: start,
      port: start ? 8080 : null,
      reasons: [
        `${file}: ${isCpp ? 'C++' : 'C'}, built with \`${build}\`, ${start ? `started with \`${start}\`` : 'but it names no program'}`,
      ],
    } satisfies DetectFinding;
  },
};

async function cmake(tree: SourceTree): Promise<Recipe | undefined> {
  const source = (await tree.read('CMakeLists.txt'))?.slice(0, 200_000);
  if (source === undefined) return undefined;
  const project = plainName(/\bproject\s*\(\s*"?([\w.-]{1,80})/i.exec(source)?.[1]);
  const named = /\badd_executable\s*\(\s*("?[\w.${}-]{1,80})/i.exec(source)?.[1]?.replace(/"/g, '');
  const program = named && /^\$\{(CMAKE_)?PROJECT_NAME\}$/.test(named) ? project : plainName(named);
  return {
    file: 'CMakeLists.txt',
    manager: 'cmake',
    build: 'cmake -S . -B build -DCMAKE_BUILD_TYPE=Release && cmake --build build',
    start: program ? `./build/${program}` : null,
    sources: source,
  };
}

async function meson(tree: SourceTree): Promise<Recipe | undefined> {
  const source = (await tree.read('meson.build'))?.slice(0, 200_000);
  if (source === undefined) return undefined;
  const program = plainName(/\bexecutable\s*\(\s*'([^'\n]{1,80})'/.exec(source)?.[1]);
  return {
    file: 'meson.build',
    manager: 'meson',
    build: 'meson setup build --buildtype=release && meson compile -C build',
    start: program ? `./build/${program}` : null,
    sources: source,
  };
}

/** A Makefile has many uses; it counts next to C sources. */
async function make(tree: SourceTree): Promise<Recipe | undefined> {
  const names = [...(await tree.list('')), ...(await tree.list('src'))];
  if (!names.includes('Makefile') || !names.some((name) => /\.(c|cc|cpp|cxx)$/.test(name))) return undefined;
  const source = ((await tree.read('Makefile')) ?? '').slice(0, 200_000);
  const variable = /^(?:TARGET|BIN|EXE|PROG|PROGRAM|EXECUTABLE|NAME)\s*[:?]?=\s*([\w./-]{1,80})\s*$/m.exec(source)?.[1];
  const output = /\s-o\s+([\w./-]{1,80})/.exec(source)?.[1];
  const path = [variable, output].map(plainPath).find((each) => each && !each.endsWith('.o'));
  return {
    file: 'Makefile',
    manager: 'make',
    build: 'make',
    start: path ? `./${path}` : null,
    sources: names.join('\n'),
  };
}

const hasCpp = async (tree: SourceTree, text: string) =>
  /\.(cpp|cc|cxx|hpp)\b|\bCXX\b|'cpp'/.test(
    `${text}\n${(await tree.list('')).join('\n')}\n${(await tree.list('src')).join('\n')}`,
  );
