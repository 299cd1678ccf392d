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

/** What is made while an app is installed and built, and is made anew in the image. */
const byLanguage: Record<string, string[]> = {
  javascript: ['**/node_modules', '**/.next', '**/.nuxt', '**/.output', '**/.svelte-kit', '**/.turbo'],
  typescript: ['**/node_modules', '**/.next', '**/.nuxt', '**/.output', '**/.svelte-kit', '**/.turbo'],
  python: ['**/.venv', '**/venv', '**/__pycache__', '**/*.pyc', '**/.pytest_cache'],
  ruby: ['.bundle', 'vendor/bundle', 'tmp', 'log'],
  php: ['vendor', 'node_modules'],
  go: ['bin'],
  rust: ['target'],
  java: ['**/target', '**/build', '**/.gradle'],
  kotlin: ['**/target', '**/build', '**/.gradle'],
  scala: ['**/target', '.bsp'],
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

/** For a source without one of its own: what does not belong into an image, or would be in the way of what is made there. */
export const dockerignore = (languages: (string | null)[]): string => {
  const names = languages.flatMap((language) =>
    language && Object.hasOwn(byLanguage, language) ? byLanguage[language]! : [],
  );
  return `${[...new Set([...always, ...names])].join('\n')}\n`;
};
