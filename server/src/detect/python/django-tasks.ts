import type { PythonStart } from './command.ts';

/** Returns the commands that a deployment needs, according to the settings. */
export function djangoTasks(settings: string, manage: string): Pick<PythonStart, 'build' | 'release'> {
  const run = `python ${manage}`;
  return {
    // Without a folder to collect them in, the command fails.
    ...(/^[ \t]*STATIC_ROOT[ \t]*(?::[^=\n]{1,40})?=/m.test(settings) && {
      build: `${standIns(settings)}${run} collectstatic --noinput`,
    }),
    ...(/^[ \t]*DATABASES[ \t]*(?::[^=\n]{1,60})?=/m.test(settings) && { release: `${run} migrate --noinput` }),
  };
}

/** Reads of variables: `os.environ['A']`, `env('A')`, `env.bool('A')`, `config('A', cast=int)`, `os.getenv('A')`. */
const reads =
  /os\.environ\[\s{0,9}["']([A-Z][A-Z0-9_]{0,60})["']\s{0,9}\]|\b(env|config|os\.getenv|os\.environ\.get)(?:\.(\w{1,20}))?\(\s{0,9}["']([A-Z][A-Z0-9_]{0,60})["']([^)\n]{0,80})\)/g;

/**
 * Returns values for the variables without which the settings fail to load: collecting files uses none of them.
 * Variables of the build come first.
 */
function standIns(settings: string): string {
  const values = new Map<string, string>();
  for (const [, index, call = '', kind = '', name = index, options = ''] of settings.matchAll(reads)) {
    if (!name || /default\s{0,9}=|^\s{0,9},(?!\s{0,9}cast)/.test(options)) continue;
    // These return nothing for a missing variable, with which most settings are fine.
    if (call.startsWith('os.') && !/SECRET_KEY$|^DATABASE_URL$/.test(name)) continue;
    const type = kind || /cast\s{0,9}=\s{0,9}(\w{1,20})/.exec(options)?.[1] || '';
    values.set(name, standIn(name, type));
  }
  return [...values]
    .slice(0, 30)
    .map(([name, value]) => `${name}=\${${name}:-${value}} `)
    .join('');
}

function standIn(name: string, type: string): string {
  if (/^(int|float)$/.test(type) || name.endsWith('PORT')) return '1';
  if (/^bool$/i.test(type) || name === 'DEBUG') return 'False';
  if (/^(db|db_url)$/.test(type) || name === 'DATABASE_URL') return 'sqlite:////tmp/build.sqlite3';
  if (/^(cache|cache_url)$/.test(type)) return 'locmemcache://';
  if (type.startsWith('email')) return 'consolemail://';
  return /(URL|URI)$/.test(name) ? 'http://localhost' : 'build';
}
