import { posix } from 'node:path';
import { findFiles } from '../find-files.ts';
import type { PythonProject } from './project.ts';

/** The object that a Python server loads. */
export interface AppObject {
  /** Class name: `FastAPI`. */
  kind: string;
  file: string;
  /** Module folder; `''` for the app's own. */
  base: string;
  /** `main:app`, or the factory function with `factory`. */
  reference: string;
  factory: boolean;
}

const kinds = 'FastAPI|Starlette|Litestar|Quart|Sanic|BlackSheep|FastHTML|APIFlask|Flask|Dash|Bottle|Pyramid|Falcon';
const assignment = new RegExp(
  `^([A-Za-z_]\\w{0,60})(?:[ \\t]*:[ \\t]*[\\w.]{1,60})?[ \\t]*=[ \\t]*(?:\\w{1,40}\\.)?(${kinds})\\(`,
  'm',
);
const others = [
  { rule: /^([A-Za-z_]\w{0,60})[ \t]*,[^=\n]{0,80}=[ \t]*(?:\w{1,40}\.)?fast_app\(/m, kind: 'FastHTML' },
  { rule: /^([A-Za-z_]\w{0,60})[ \t]*=[ \t]*falcon\.(?:asgi\.)?App\(/m, kind: 'Falcon' },
  { rule: /^([A-Za-z_]\w{0,60})[ \t]*=[ \t]*(?:bottle\.)?default_app\(/m, kind: 'Bottle' },
];
// `app = get_application()`, with the function above it.
const call = /^([A-Za-z_]\w{0,60})(?:[ \t]*:[ \t]*[\w.]{1,60})?[ \t]*=[ \t]*([A-Za-z_]\w{0,60})\(/gm;
const construction = new RegExp(`\\b(${kinds})\\(`);
const factories = /^def (create_app|make_app|get_app|build_app|create_application)\(/m;

/** File names in search order. */
const ranked = ['main', 'app', 'server', 'asgi', 'wsgi', 'api', 'application', 'web', 'run', 'index', '__init__'];
const identifier = /^[A-Za-z_]\w*$/;

/** Searches the usual files, nearest to the root first. */
export async function findAppObject({ tree, names }: PythonProject): Promise<AppObject | undefined> {
  const found = await findFiles(tree, (name) => name.endsWith('.py'), { depth: 3, limit: 150, maxFolders: 40 });
  const rank = (file: string) => {
    const place = ranked.indexOf(posix.basename(file, '.py'));
    return (place < 0 ? ranked.length : place) + 20 * file.replace(/^src\//, '').split('/').length;
  };
  // Next to a package.json, `api` often contains functions for another platform.
  const files = found.filter((file) => !(file.startsWith('api/') && names.has('package.json')));
  let factory: AppObject | undefined;
  for (const file of files.toSorted((a, b) => rank(a) - rank(b)).slice(0, 40)) {
    const source = ((await tree.read(file)) ?? '').slice(0, 100_000);
    const module = moduleOf(file);
    if (!module) continue;
    const object = objectIn(source);
    if (object) return { ...object, ...module, file, reference: `${module.reference}:${object.name}`, factory: false };
    const maker = factories.exec(source)?.[1];
    const kind = construction.exec(source)?.[1];
    if (maker && kind) factory ??= { kind, file, ...module, reference: `${module.reference}:${maker}`, factory: true };
  }
  return factory;
}

function objectIn(source: string): { kind: string; name: string } | undefined {
  const [, name, kind] = assignment.exec(source) ?? madeByCall(source) ?? [];
  if (name && kind) {
    // Dash is served by its inner Flask app.
    const server =
      kind === 'Dash' ? (/^(\w{1,60})[ \t]*=[ \t]*\w{1,60}\.server\b/m.exec(source)?.[1] ?? undefined) : name;
    return { kind, name: server ?? `${name}.server` };
  }
  for (const { rule, kind: other } of others) {
    const match = rule.exec(source);
    if (match) return { kind: other, name: match[1]! };
  }
  return undefined;
}

/** Returns the variable and the kind of an app that a function of the same file makes. */
function madeByCall(source: string): ['', string, string] | undefined {
  for (const [, name, maker] of [...source.matchAll(call)].slice(0, 50)) {
    const at = `\n${source}`.indexOf(`\ndef ${maker}(`);
    // It ends at the next statement that is not indented.
    const body = at < 0 ? '' : source.slice(at).split(/\n(?=[A-Za-z_@])/, 1)[0]!;
    const kind = construction.exec(body)?.[1];
    if (kind) return ['', name!, kind];
  }
  return undefined;
}

function moduleOf(file: string): { base: string; reference: string } | undefined {
  const parts = file.replace(/\.py$/, '').split('/');
  const base = parts[0] === 'src' && parts.length > 1 ? 'src' : '';
  const path = (base ? parts.slice(1) : parts).filter((part, i, all) => !(part === '__init__' && i === all.length - 1));
  return path.length && path.every((part) => identifier.test(part)) ? { base, reference: path.join('.') } : undefined;
}
