import { buildScripts, type NodeApp } from './app.ts';

const roots = ['install', 'prepare', ...buildScripts, 'docs:build', 'start', 'start:prod'];

/** Other runtimes and package managers, by the programs that scripts call. */
const tools: [pattern: RegExp, language: string, notFor: string][] = [
  [/(?:^|[\s;&|(])bunx?\s/, 'bun', 'bun'],
  [/(?:^|[\s;&|(])pnp[mx]\s/, 'pnpm', 'pnpm'],
];

/** Returns the other tools that the scripts for install, build and start call. */
export function scriptTools({ manager, pkg }: NodeApp): string[] {
  const called = calledScripts(pkg.scripts);
  return tools
    .filter(([pattern, , notFor]) => manager.name !== notFor && called.some((script) => pattern.test(script)))
    .map(([, language]) => language);
}

/** Returns the scripts for install, build and start, and those whose names they contain. */
export function calledScripts(scripts: Map<string, string>): string[] {
  const all = roots.flatMap((name) => [`pre${name}`, name, `post${name}`]);
  const seen = new Set(all.filter((name) => scripts.has(name)));
  for (const name of seen) {
    const words = new Set((scripts.get(name) ?? '').slice(0, 2000).split(/[\s;&|"'()]+/));
    for (const other of scripts.keys()) if (words.has(other)) seen.add(other);
  }
  return [...seen].map((name) => scripts.get(name)!.slice(0, 2000));
}
