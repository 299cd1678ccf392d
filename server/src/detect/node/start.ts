import { plainPath } from '../plain-names.ts';
import type { NodeApp } from './app.ts';

const stems = ['server', 'index', 'app', 'main'];
const folders = ['', 'src/'];

// Commands that serve the developer: they compile on the way, watch files, and are not made for visitors.
const development = [
  /\b(next|nuxt|nuxi|remix|react-router|astro|vinxi|nitro|umi|sapper|solid-start|modern|storybook|docz|expo|quasar|waku|rsbuild|rspress|mastra|payload|sanity|wrangler|shopify hydrogen) dev\b/,
  /\b(ng|vue-cli-service|ember|polymer|nx|hugo|mkdocs|zola|webpack|rspack|gulp|preact|vuepress|vitepress|jekyll) serve(r)?\b/,
  /\b(react-scripts|docusaurus|expo|react-app-rewired|craco|electron-forge|sanity) start\b/,
  /\b(gatsby|gridsome|strapi) develop\b/,
  /\bvite( dev| serve)?$/,
  /\b(nodemon|webpack-dev-server|ts-node-dev|tsx watch|tsnd|brunch watch|preact watch|eleventy --serve|live-server|browser-sync)\b/,
  /^(gulp|parcel|umi|nuxt|nx)( [\w./-]+\.html)?$/,
  /--(watch|dev)\b/,
  /\bturbo (run )?dev\b/,
];

const launchers =
  /^(?:(?:cross-env|dotenv|env|exec|--|[A-Z_][A-Z0-9_]*=\S*)\s+)*(node|tsx|ts-node|pm2|pm2-runtime|bun)\b\s*(\S*)/;

export const isForDevelopment = (script: string) => development.some((rule) => rule.test(script.slice(0, 2000)));

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
  const mainPath = plainPath(main);
  if (mainPath && (mayBeBuilt || (await exists(mainPath)))) return runFile(app, mainPath);
  const present = folders.flatMap((folder) =>
    stems
      .flatMap((stem) => ['.js', '.mjs', '.cjs', '.ts', '.mts'].map((ending) => stem + ending))
      .filter((name) => (folder ? inSource : app.names).has(name))
      .map((name) => folder + name),
  );
  // What the build runs is a tool and not what is served.
  const build = app.pkg.scripts.get('build') ?? '';
  return present
    .filter((file) => !build.includes(`node ${file}`))
    .map((file) => runFile(app, file))
    .find((command) => command !== undefined);
}

/** TypeScript needs somebody who understands it: Bun, tsx, ts-node, or a recent Node.js where no build makes it JavaScript. */
function runFile({ manager, pkg, version }: NodeApp, file: string): string | undefined {
  if (manager.name === 'bun') return `bun ${file}`;
  if (!/\.[cm]?tsx?$/.test(file)) return `node ${file}`;
  const tool = ['tsx', 'ts-node'].find((each) => pkg.allDependencies.has(each));
  if (tool) return `${manager.exec} ${tool} ${file}`;
  const understands = Number.parseInt(version ?? '22', 10) >= 22;
  return understands && !pkg.scripts.has('build') ? `node ${file}` : undefined;
}

/** A port that the command names. Only a hint: we choose the port and say it by PORT. */
export function portIn(command: string): number | undefined {
  const port = Number(/(?:\bPORT=|--port[= ]|\s-p[= ]?)(\d{2,5})\b/.exec(command)?.[1] ?? 0);
  return port > 0 && port < 65536 ? port : undefined;
}

// Options and commands that say where a build leaves its files.
const destination =
  /(?:-d|-o|--out|--output|--out-dir|--outDir|--dest|--destination|--dist-dir|--output-path|mkdir(?: -p)?|mv \S{1,80}|cp -[rR] \S{1,80}|>)[ =]+(?:\.\/)?(public|dist|build|out|output|_site|www|site)(?=[/\s'"]|$)/g;

/** The folder that a build script of an unknown tool seems to leave its result in. */
export const outputNamed = (script: string): string | undefined =>
  [...script.slice(0, 2000).matchAll(destination)].at(-1)?.[1];
