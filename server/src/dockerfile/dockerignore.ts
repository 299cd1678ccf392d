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

/** Of a project and of the modules inside of it. Not at any depth: a package of a source may have that name. */
const inModules = (name: string): string[] => [name, `*/${name}`, `*/*/${name}`];
const ofMaven = inModules('target');
const ofGradle = [...inModules('build'), '**/.gradle'];

/** What is made while an app is installed and built, and is made anew in the image. */
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

/** What a package manager fetches again; without it the same folder is a part of the source. */
const byManager: Record<string, string[]> = { composer: ['vendor'] };

type Found = Pick<Detection, 'language' | 'otherLanguages' | 'packageManager'>;

/** For a source without one of its own: what does not belong into an image, or would be in the way of what is made there. */
export const dockerignore = ({ language, otherLanguages, packageManager }: Found): string => {
  const listed = (lists: Record<string, string[]>, name: string | null) =>
    name !== null && Object.hasOwn(lists, name) ? lists[name]! : [];
  const names = [
    ...[language, ...otherLanguages].flatMap((each) => listed(byLanguage, each)),
    ...listed(byManager, packageManager),
  ];
  return `${[...new Set([...always, ...names])].join('\n')}\n`;
};
