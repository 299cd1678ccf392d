import { posix } from 'node:path';
import type { NodeApp } from './app.ts';

const stems = ['server', 'index', 'app', 'main'];
const folders = ['', 'src/'];

// Commands that serve the developer: they compile on the way, watch files, and are not made for visitors.
const development = /\b(next|nuxt|nuxi|remix|react-router|astro) dev\b|\bvite( dev| serve)?$|\bnodemon\b|--watch\b/;

const launchers =
  /^(?:(?:cross-env|dotenv|env|exec|--|[A-Z_][A-Z0-9_]*=\S*)\s+)*(node|tsx|ts-node|pm2|pm2-runtime|bun)\b\s*(\S*)/;

export const isForDevelopment = (script: string) => development.test(script);

/** Whether a script runs a program of the app's own, as opposed to a tool that previews files. */
export function runsProgram(script: string | undefined): boolean {
  const [, launcher, next] = launchers.exec(script?.trim() ?? '') ?? [];
  if (!launcher || isForDevelopment(script!)) return false;
  return launcher !== 'bun' || /\.[cm]?[jt]sx?$/.test(next ?? '');
}

/** The command that runs the app's entry, found without a script that says so; undefined when there is none. */
export async function entryCommand(app: NodeApp, mayBeBuilt: boolean): Promise<string | undefined> {
  const { main } = app.pkg;
  const inSource = new Set(app.names.has('src/') ? await app.tree.list('src') : []);
  const exists = async (path: string) => (await app.tree.read(path)) !== undefined;
  const mainPath = main && /^[\w./@-]+$/.test(main) ? posix.normalize(main) : undefined;
  if (mainPath && (mayBeBuilt || (await exists(mainPath)))) return runFile(app, mainPath);
  const runs = (file: string) => runFile(app, file) !== undefined;
  const present = folders.flatMap((folder) =>
    stems
      .flatMap((stem) => ['.js', '.mjs', '.cjs', '.ts', '.mts'].map((ending) => stem + ending))
      .filter((name) => (folder ? inSource : app.names).has(name))
      .map((name) => folder + name),
  );
  const file = present.find(runs);
  return file && runFile(app, file);
}

/** TypeScript needs somebody who understands it: Bun, tsx, or nothing at all. */
function runFile({ manager, pkg }: NodeApp, file: string): string | undefined {
  if (manager.name === 'bun') return `bun ${file}`;
  if (!/\.[cm]?tsx?$/.test(file)) return `node ${file}`;
  return pkg.allDependencies.has('tsx') ? `${manager.exec} tsx ${file}` : undefined;
}

/** A port that the command names. Only a hint: we choose the port and say it by PORT. */
export function portIn(command: string): number | undefined {
  const port = Number(/(?:\bPORT=|--port[= ]|\s-p[= ]?)(\d{2,5})\b/.exec(command)?.[1] ?? 0);
  return port > 0 && port < 65536 ? port : undefined;
}
