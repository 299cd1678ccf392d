import { posix } from 'node:path';
import { readJson, withoutComments } from '../json.ts';
import { plainPath } from '../plain-names.ts';
import { childRecord, textOrNull } from '../records.ts';
import type { NodeApp } from './app.ts';
import { isProgram } from './program-file.ts';

const stems = ['server', 'index', 'app', 'main', 'web'];
const folders = ['', 'src/'];

// Development servers: they compile, watch files, and are not for production.
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
  /\b(concurrently|npm-run-all|run-p|run-s)\b.*\b(watch|dev)\b/,
];

// Tools for other platforms and devices; they do not run in a container, or only with an account.
const foreign =
  /\b(wrangler|vercel dev|netlify dev|fastly compute|sst dev|serverless|sls|func start|sam local|firebase|electron|electron-forge|electron-vite|react-native|tauri|ionic|cap|vsce|arc sandbox)(?=\s|$)/;

/** Whether a script can start the app here. */
export const isForServers = (script: string) => !foreign.test(script.slice(0, 2000));

const launchers =
  /^(?:(?:cross-env|dotenv|env|exec|--|[A-Z_][A-Z0-9_]*=\S*)\s+)*(node|tsx|ts-node|pm2|pm2-runtime|bun)\b\s*(\S*)/;

export const isForDevelopment = (script: string) => development.some((rule) => rule.test(script.slice(0, 2000)));

// The last command of a script that runs a file of the source: `npm run build && node scripts/start.js`.
const lastProgram = /(?:^|&&\s{0,9})node\s{1,9}(?:\.\/)?([\w./-]{1,200}\.[cm]?js)$/;
const developmentTools = /['"`/](?:browser-sync|webpack-dev-server|live-server)['"`]/;
const serverTools = /['"](?:(?:node:)?https?|express|koa|fastify|@hapi\/hapi|restify|polka)['"]/;

/** Whether a script starts a development server, also by a program of the source that only starts one. */
export async function startsDevelopment({ tree }: NodeApp, script: string): Promise<boolean> {
  if (isForDevelopment(script)) return true;
  const file = plainPath(lastProgram.exec(script.trim().slice(0, 2000))?.[1]);
  const code = file ? withoutComments((await tree.read(file)) ?? '') : '';
  return developmentTools.test(code) && !serverTools.test(code);
}

/** Whether the start script runs the app's own program, not a preview tool. */
export async function runsProgram(app: NodeApp): Promise<boolean> {
  const script = followed(app.pkg.scripts, 'start');
  const [, launcher, next] = launchers.exec(script) ?? [];
  if (!launcher || (await startsDevelopment(app, script))) return false;
  return launcher !== 'bun' || /\.[cm]?[jt]sx?$/.test(next ?? '');
}

/** Returns the text of a script, or of the one that it only runs: `npm run start-server`. */
function followed(scripts: Map<string, string>, name: string, depth = 3): string {
  const text = scripts.get(name)?.trim() ?? '';
  const other = /^(?:npm run|pnpm(?: run)?|yarn(?: run)?|bun run) ([\w:.-]{1,100})$/.exec(text)?.[1];
  return other && depth > 0 && scripts.has(other) ? followed(scripts, other, depth - 1) : text;
}

type Entry = { command?: string; exporting?: string };

/** Returns the command for the app's entry file without a script, or a file that could be one but only exports. */
export async function entryCommand(app: NodeApp, mayBeBuilt: boolean): Promise<Entry> {
  const inSource = new Set(app.names.has('src/') ? await app.tree.list('src') : []);
  const runs = async (path: string) => {
    const source = await app.tree.read(path);
    return source === undefined ? undefined : isProgram(path, source, app.manager.name === 'bun');
  };
  const main = plainPath(app.pkg.main);
  if (main && ((await runs(main)) ?? mayBeBuilt)) return { command: runFile(app, main) };
  const present = folders.flatMap((folder) =>
    stems
      .flatMap((stem) => ['.js', '.mjs', '.cjs', '.ts', '.mts'].map((ending) => stem + ending))
      .filter((name) => (folder ? inSource : app.names).has(name))
      .map((name) => folder + name),
  );
  // A file that the build runs is a tool.
  const build = app.pkg.scripts.get('build') ?? '';
  const files = [...present, 'bin/www'].filter((each) => !build.includes(`node ${each}`));
  for (const file of files) {
    const command = (await runs(file)) ? (runFile(app, file) ?? (await compiledFile(app, file))) : undefined;
    if (command) return { command };
  }
  return { exporting: present[0] };
}

/** Returns the command for the file that `tsc` makes of a source file. */
async function compiledFile({ tree, manager, pkg }: NodeApp, file: string): Promise<string | undefined> {
  if (!/^(?:(?:np[mx]|yarn|rimraf|rm)\b[^&|;]{0,100}&&\s{0,9})?tsc\b/.test(pkg.scripts.get('build') ?? ''))
    return undefined;
  const options = childRecord(await readJson(tree, 'tsconfig.json'), 'compilerOptions');
  const [from, to] = ['rootDir', 'outDir'].map((key) => plainPath(textOrNull(options[key]) ?? ''));
  if (from === undefined || to === undefined) return undefined;
  // Without a root, it is the common folder of the sources.
  const root = from || (textOrNull(options['rootDir']) === null && file.startsWith('src/') ? 'src' : '');
  const inside = root && file.startsWith(`${root}/`) ? file.slice(root.length + 1) : file;
  return `${manager.node} ${posix.join(to, inside.replace(/ts$/, 'js'))}`;
}

/** TypeScript needs Bun, tsx, ts-node, or a recent Node.js without a build. */
function runFile({ manager, pkg, version }: NodeApp, file: string): string | undefined {
  if (manager.name === 'bun' || !/\.[cm]?tsx?$/.test(file)) return `${manager.node} ${file}`;
  const tool = ['tsx', 'ts-node'].find((each) => pkg.allDependencies.has(each));
  if (tool) return `${manager.exec} ${tool} ${file}`;
  const understands = Number.parseInt(version ?? '22', 10) >= 22;
  return understands && !pkg.scripts.has('build') ? `${manager.node} ${file}` : undefined;
}

/** Returns the port in a command. Only a hint: PORT sets the actual one. */
export function portInCommand(command: string): number | undefined {
  const port = Number(/(?:\bPORT=|--port[= ]|\s-p[= ]?)(\d{2,5})\b/.exec(command)?.[1] ?? 0);
  return port > 0 && port < 65536 ? port : undefined;
}

// Options and commands that name the output of a build.
const destination =
  /(?:-d|-o|--out|--output|--out-dir|--outDir|--dest|--destination|--dist-dir|--output-path|mkdir(?: -p)?|mv \S{1,80}|cp -[rR] \S{1,80}|>)[ =]+(?:\.\/)?(public|dist|build|out|output|_site|www|site)(?=[/\s'"]|$)/g;

/** Returns the probable output folder of an unknown build tool. */
export const outputNamed = (script: string): string | undefined =>
  [...script.slice(0, 2000).matchAll(destination)].at(-1)?.[1];
