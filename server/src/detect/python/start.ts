import { plainName } from '../plain-names.ts';
import { childRecord } from '../records.ts';
import { findAppObject } from './app-object.ts';
import { hostVariable, portVariable, type PythonStart } from './command.ts';
import { django } from './django.ts';
import type { PythonManager } from './manager.ts';
import type { PythonProject } from './project.ts';
import { cloudFunction, ownRunner } from './runners.ts';

/** Returns the first match: a framework's own files, an app object, a main file, a script. */
export async function findStart(project: PythonProject, manager: PythonManager): Promise<PythonStart | undefined> {
  // Without dependencies there is no framework, only a program.
  if (!manager.install) return await mainFile(project);
  return (
    (await django(project)) ??
    (await cloudFunction(project)) ??
    (await ownRunner(project)) ??
    (await served(project)) ??
    (await mainFile(project)) ??
    script(project, manager)
  );
}

const asynchronous = new Set(['FastAPI', 'Starlette', 'Litestar', 'Quart', 'Sanic', 'BlackSheep', 'FastHTML']);

async function served(project: PythonProject): Promise<PythonStart | undefined> {
  const object = await findAppObject(project);
  if (!object) return undefined;
  const { kind, base, reference, factory, file } = object;
  const about = { framework: kind.toLowerCase(), name: kind, sign: file, port: 8000 };
  const { dependencies } = project;
  if (!asynchronous.has(kind)) {
    const target = factory ? `'${reference}()'` : reference;
    const command = `gunicorn --bind ${hostVariable}:${portVariable(8000)}${base ? ` --pythonpath ${base}` : ''} ${target}`;
    return { ...about, command, ...(dependencies.has('gunicorn') ? {} : { needs: 'gunicorn' }) };
  }
  const command = `uvicorn ${reference} --host ${hostVariable} --port ${portVariable(8000)}${factory ? ' --factory' : ''}${base ? ` --app-dir ${base}` : ''}`;
  const bringsServer = ['uvicorn', 'fastapi[standard]', 'litestar[standard]', 'python-fasthtml'].some((each) =>
    dependencies.has(each),
  );
  return { ...about, command, ...(bringsServer ? {} : { needs: 'uvicorn' }) };
}

const mainFiles = [
  'main.py',
  'app.py',
  'start.py',
  'bot.py',
  'server.py',
  'run.py',
  'hello.py',
  'index.py',
  '__main__.py',
  'src/main.py',
  'src/app.py',
];
// Files of Python tools.
const tooling =
  /^(setup|conftest|noxfile|tasks|fabfile|manage|pelicanconf|publishconf|conf|gunicorn\.conf|version|_version)\.py$/;

async function mainFile({ tree, names }: PythonProject): Promise<PythonStart | undefined> {
  const about = { framework: 'python', name: 'Python', port: 8000 };
  for (const file of mainFiles)
    if ((await tree.read(file)) !== undefined) return { ...about, sign: file, command: `python ${file}` };
  const alone = [...names].filter((name) => name.endsWith('.py') && !tooling.test(name) && plainName(name));
  if (alone.length === 1) return { ...about, sign: alone[0]!, command: `python ${alone[0]}` };
  for (const name of [...names].filter((each) => each.endsWith('/')).slice(0, 40)) {
    const folder = plainName(name.slice(0, -1));
    if (folder && (await tree.read(`${folder}/__main__.py`)) !== undefined)
      return { ...about, sign: `${folder}/__main__.py`, command: `python -m ${folder}` };
  }
  return undefined;
}

/** Returns a script of the project, if it is installed. */
function script({ pyproject }: PythonProject, manager: PythonManager): PythonStart | undefined {
  if (!manager.installsProject) return undefined;
  const scripts = {
    ...childRecord(pyproject, 'project', 'scripts'),
    ...childRecord(pyproject, 'tool', 'poetry', 'scripts'),
  };
  const named = Object.keys(scripts)
    .map((each) => plainName(each))
    .filter((each) => each !== undefined);
  const preferred =
    named.find((each) => /^(start|serve|server|web|app|main)$/.test(each)) ??
    (named.length === 1 ? named[0] : undefined);
  return preferred
    ? { framework: 'python', name: 'Python', sign: 'scripts of pyproject.toml', command: preferred, port: 8000 }
    : undefined;
}
