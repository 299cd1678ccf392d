import { posix } from 'node:path';
import type { SourceTree } from '../detect.ts';
import { plainPath } from '../plain-names.ts';
import { hostVariable, portVariable, type PythonStart } from './command.ts';
import { djangoSettings, manageFile, settingsFiles } from './django-files.ts';
import { hostsWarning } from './django-hosts.ts';
import { djangoTasks } from './django-tasks.ts';
import type { PythonProject } from './project.ts';

export async function django({ tree, dependencies }: PythonProject): Promise<PythonStart | undefined> {
  const manage = await manageFile(tree);
  const folder = manage === undefined ? undefined : plainPath(posix.dirname(manage));
  if (manage === undefined || folder === undefined) return undefined;
  if (!dependencies.has('django') && !/DJANGO_SETTINGS_MODULE|django/.test((await tree.read(manage)) ?? ''))
    return undefined;
  const module = await gatewayModule(folder, tree);
  const settings = (await djangoSettings(tree, folder)).slice(0, 500_000);
  const about = {
    framework: 'django',
    name: 'Django',
    sign: manage,
    port: 8000,
    // GeoDjango loads GDAL, GEOS and PROJ, which this package brings.
    ...(settings.includes('django.contrib.gis') && { packages: ['gdal-bin'] }),
    ...djangoTasks(settings, manage),
    warning: hostsWarning(settings),
  };
  if (!module) return { ...about, command: `python ${manage} runserver ${hostVariable}:${portVariable(8000)}` };
  const chdir = folder ? ` --chdir ${folder}` : '';
  return {
    ...about,
    command: `gunicorn --bind ${hostVariable}:${portVariable(8000)}${chdir} ${module}`,
    ...(dependencies.has('gunicorn') ? {} : { needs: 'gunicorn' }),
  };
}

/** Returns the WSGI module of the settings, or an existing one. */
async function gatewayModule(folder: string, tree: SourceTree): Promise<string | undefined> {
  const files = await settingsFiles(tree, folder);
  for (const file of files.filter((each) => !each.endsWith('wsgi.py'))) {
    const source = (await tree.read(posix.join(folder, file))) ?? '';
    const named = /^WSGI_APPLICATION\s*=\s*["']([\w.]{1,100})\.(\w{1,60})["']/m.exec(source);
    if (named) return `${named[1]}:${named[2]}`;
  }
  const wsgi = files
    .find((each) => each.endsWith('wsgi.py'))
    ?.replace(/\.py$/, '')
    .split('/');
  return wsgi?.every((part) => /^[A-Za-z_]\w*$/.test(part)) ? `${wsgi.join('.')}:application` : undefined;
}
