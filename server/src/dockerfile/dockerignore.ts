import type { Detection } from '../detect/detect.ts';

const always = [
  '.git',
  '.github',
  '.gitlab',
  '.idea',
  '.vscode',
  '.DS_Store',
  '*.log',
  '**/.env.local',
  '**/.env.*.local',
  'Dockerfile*',
  '.dockerignore',
];

/** In the project and its modules. Not at any depth: a source package may have that name. */
const inModules = (name: string): string[] => [name, `*/${name}`, `*/*/${name}`];
const ofMaven = inModules('target');
const ofGradle = [...inModules('build'), '**/.gradle'];

/** Build outputs, which are created again in the image. */
const byLanguage: Record<string, string[]> = {
  javascript: ['**/node_modules', '**/.next', '**/.nuxt', '**/.output', '**/.svelte-kit', '**/.turbo'],
  typescript: ['**/node_modules', '**/.next', '**/.nuxt', '**/.output', '**/.svelte-kit', '**/.turbo'],
  python: ['**/.venv', '**/venv', '**/__pycache__', '**/*.pyc', '**/.pytest_cache'],
  ruby: ['.bundle', 'vendor/bundle', 'tmp', 'log'],
  php: ['node_modules'],
  go: ['bin'],
  rust: ['target'],
  java: [...ofMaven, ...ofGradle],
  kotlin: [...ofMaven, ...ofGradle],
  scala: [...ofMaven, '.bsp'],
  clojure: ['target', '.cpcache'],
  csharp: ['**/bin', '**/obj', 'out'],
  fsharp: ['**/bin', '**/obj', 'out'],
  elixir: ['_build', 'deps'],
  erlang: ['_build'],
  gleam: ['build'],
  haskell: ['.stack-work', 'dist-newstyle'],
  swift: ['.build'],
  zig: ['.zig-cache', 'zig-out'],
  dart: ['.dart_tool'],
  ocaml: ['_build', '_opam'],
};

/** Folders that a package manager fetches again; without it they are part of the source. */
const byManager: Record<string, string[]> = { composer: ['vendor'] };

type Found = Pick<Detection, 'language' | 'otherLanguages' | 'packageManager'>;

/** Returns a .dockerignore for sources without one. */
export const dockerignore = ({ language, otherLanguages, packageManager }: Found): string => {
  const listed = (lists: Record<string, string[]>, name: string | null) =>
    name !== null && Object.hasOwn(lists, name) ? lists[name]! : [];
  const names = [
    ...[language, ...otherLanguages].flatMap((each) => listed(byLanguage, each)),
    ...listed(byManager, packageManager),
  ];
  return `${[...new Set([...always, ...names])].join('\n')}\n`;
};
