import type { DetectFinding, Provider } from '../detect.ts';
import { pythonSystemLibraries } from '../python/libraries.ts';
import { findManager } from '../python/manager.ts';
import { hostVariable, portVariable } from '../python/command.ts';
import { type PythonProject, readPythonProject } from '../python/project.ts';
import { findStart } from '../python/start.ts';
import { oldSetuptools, pythonVersion } from '../python/version.ts';

const signs = [
  'requirements.txt',
  'pyproject.toml',
  'Pipfile',
  'setup.py',
  'manage.py',
  'main.py',
  'app.py',
  'start.py',
  'bot.py',
  'hello.py',
  'server.py',
  'environment.yml',
];

export const python: Provider = {
  name: 'python',
  looksFor: 'requirements.txt',
  async detect(tree) {
    const names = new Set(await tree.list(''));
    if (!signs.some((name) => names.has(name))) return undefined;
    const project = await readPythonProject(tree);
    const manager = findManager(project);
    const start = await findStart(project, manager);
    const version = await pythonVersion(project);
    const added = [start?.needs, manager.name === 'pip' ? oldSetuptools(project) : null].filter((each) => each);
    const install = manager.install && manager.install + (added.length ? manager.add(added.join(' ')) : '');
    const hasEnvironment = install !== null;
    const command = start ? inEnvironment(start.command, hasEnvironment) : null;
    const build = [
      ...(start?.build ? [inEnvironment(start.build, hasEnvironment)] : []),
      ...(project.dependencies.has('playwright') ? ['.venv/bin/playwright install chromium'] : []),
    ].join(' && ');
    const { systemPackages, buildPackages } = pythonSystemLibraries(project);
    const configs = await fixedBinds(project);
    const release = start?.release ? inEnvironment(start.release, hasEnvironment) : null;
    return {
      ...version,
      framework: start?.framework ?? null,
      language: 'python',
      packageManager: manager.name,
      installCommand: install,
      installFiles: manager.files,
      buildCommand: build || null,
      startCommand: command,
      releaseCommand: release,
      port: start?.port ?? null,
      warnings: start?.warning ? [{ message: start.warning, unlessVariables: [] }] : [],
      systemPackages: [...systemPackages, ...(start?.packages ?? [])],
      buildPackages: [...buildPackages, ...(start?.packages ?? [])],
      reasons: [
        manager.reason,
        ...(version.reasons ?? []),
        ...(build ? [`built with \`${build}\``] : []),
        ...(release ? [`${start!.sign}: before each release, \`${release}\``] : []),
        explain(start, command),
      ],
      adapt: (declared) => bindToPort(adaptCommand(declared, hasEnvironment), configs),
    } satisfies DetectFinding;
  },
};

/** Uses the programs of the environment; without dependencies there is none. */
function inEnvironment(command: string, hasEnvironment: boolean): string {
  if (!hasEnvironment) return command.replace(/^python /, 'python3 ');
  const [, variables, rest] = /^((?:[A-Z][A-Z0-9_]*=\S+ )*)(.*)$/.exec(command)!;
  return `${variables}.venv/bin/${rest}`;
}

/** The environment is on the PATH, so no runner such as `poetry run` is needed. */
function adaptCommand(command: string, hasEnvironment: boolean): string {
  if (!hasEnvironment) return command.replace(/^python /, 'python3 ');
  return command.replace(/^(poetry|uv|pipenv|pdm) run /, '');
}

/** Returns the configuration files of Gunicorn that bind it to a fixed port. */
async function fixedBinds({ tree, names }: PythonProject): Promise<string[]> {
  const found: string[] = [];
  for (const name of [...names].filter((each) => /^gunicorn[\w.-]{0,40}\.py$/.test(each)))
    if (/^bind\s{0,9}=\s{0,9}\[?\s{0,9}f?["'][^"'{}\n]*:\d+["']/m.test((await tree.read(name)) ?? '')) found.push(name);
  return found;
}

/** The port of the command takes precedence over that of the configuration, which Gunicorn reads by itself. */
function bindToPort(command: string, configs: readonly string[]): string {
  const read = /^gunicorn\b.*\s(?:-c|--config)[ =](?:\.\/)?(\S+)/.exec(command)?.[1] ?? 'gunicorn.conf.py';
  const isFixed = configs.includes(read) && /^gunicorn\s/.test(command) && !/\s(-b|--bind)\b/.test(command);
  return isFixed ? command.replace(/^gunicorn/, `gunicorn --bind ${hostVariable}:${portVariable(8000)}`) : command;
}

function explain(start: Awaited<ReturnType<typeof findStart>>, command: string | null): string {
  if (!start) return 'Python, but nothing to start: no app object of a web framework, no main.py or app.py, no script';
  const added = start.needs ? `, with ${start.needs}, which the project does not list` : '';
  return `${start.sign}: ${start.name}, started with \`${command}\`${added}`;
}
