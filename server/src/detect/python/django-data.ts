import { posix } from 'node:path';
import type { SourceTree } from '../detect.ts';
import { plainPath } from '../plain-names.ts';
import { djangoSettings, manageFile } from './django-files.ts';

/** A SQLite database that a framework keeps at this path of the app, unless one of the variables is set. */
export type DatabaseFile = { framework: string; path: string; unlessVariables: string[] };

const ofPython = new Set(['manage.py', 'requirements.txt', 'pyproject.toml', 'Pipfile', 'setup.py']);

/** Reads from the settings of a Django project where it keeps uploads and its database. */
export async function djangoData(
  tree: SourceTree,
): Promise<{ media: string | undefined; database: DatabaseFile | undefined } | undefined> {
  if (!(await tree.list('')).some((name) => ofPython.has(name))) return undefined;
  const manage = await manageFile(tree);
  if (manage === undefined) return undefined;
  const folder = posix.dirname(manage);
  const settings = await djangoSettings(tree, folder);
  const media = /^[ \t]*MEDIA_ROOT[ \t]*=[ \t]*([^\n#]{1,300})/m.exec(settings)?.[1];
  return { media: pathOf(folder, media) || undefined, database: databaseIn(settings, folder) };
}

function databaseIn(settings: string, folder: string): DatabaseFile | undefined {
  const engines = [...settings.matchAll(/django\.db\.backends\.(\w{1,40})/g)].map(([, engine]) => engine);
  if (!engines.length || engines.some((engine) => engine !== 'sqlite3')) return undefined;
  // Password validators have names, too.
  const databases = settings.slice(settings.indexOf('DATABASES'));
  const path = pathOf(folder, /['"]NAME['"][ \t]*:[ \t]*([^\n#]{1,300})/.exec(databases)?.[1]);
  if (!path || !/\.(sqlite3?|db)$/i.test(path)) return undefined;
  const unlessVariables = /DATABASE_URL|dj_database_url/.test(settings) ? ['DATABASE_URL'] : [];
  return { framework: 'Django', path, unlessVariables };
}

/**
 * Evaluates `BASE_DIR / 'a' / 'b'`, `os.path.join(BASE_DIR, 'a')` and `'a'`, but nothing that is computed. BASE_DIR is
 * the folder of manage.py in the projects that Django creates, and the app runs there.
 */
function pathOf(folder: string, expression = ''): string | undefined {
  const called = /^(?:(?:str|Path|join|path\.join|os\.path\.join)\()*(?:BASE_DIR(?:\.joinpath\()?)?/.exec(
    expression,
  )![0];
  const rest = expression.slice(called.length);
  const parts = [...rest.matchAll(/'([^'"]{1,100})'|"([^'"]{1,100})"/g)].map(([, one, two]) => one ?? two!);
  const isPlain = /^[\s/,)}]*$/.test(rest.replaceAll(/'[^'"]{1,100}'|"[^'"]{1,100}"/g, ''));
  return isPlain && parts.length && !parts.some((part) => part.startsWith('/'))
    ? plainPath(posix.join(folder, ...parts))
    : undefined;
}
