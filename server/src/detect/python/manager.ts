import { childRecord, textOrNull } from '../records.ts';
import type { PythonProject } from './project.ts';

/** How dependencies are installed into `.venv` in the app's folder. */
export interface PythonManager {
  name: string;
  install: string | null;
  /** Suffix of the install command to add a package. */
  add: (name: string) => string;
  /** Files that the install reads; empty if it needs the whole source. */
  files: string[];
  /** Whether the project itself is installed with its scripts. */
  installsProject: boolean;
  reason: string;
}

const withPip = (name: string) => ` && .venv/bin/python -m ensurepip && .venv/bin/python -m pip install ${name}`;

type Rule = (project: PythonProject) => PythonManager | undefined;

/** In order of precedence: lock files come first. */
const rules: Rule[] = [
  ({ names, pyproject }) => {
    const locked = names.has('uv.lock');
    if (!pyproject || !(locked || 'uv' in childRecord(pyproject, 'tool'))) return undefined;
    return uv(pyproject, locked, locked ? 'uv.lock: uv' : 'tool.uv of pyproject.toml: uv');
  },
  ({ names, pyproject }) => {
    if (!names.has('poetry.lock') && !('poetry' in childRecord(pyproject, 'tool'))) return undefined;
    const scripts = Object.keys(childRecord(pyproject, 'tool', 'poetry', 'scripts')).length > 0;
    return {
      name: 'poetry',
      install: `POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --only main --no-interaction${scripts ? '' : ' --no-root'}`,
      add: withPip,
      files: scripts ? [] : ['pyproject.toml', 'poetry.lock', 'poetry.toml'],
      installsProject: scripts,
      reason: `${names.has('poetry.lock') ? 'poetry.lock' : 'tool.poetry of pyproject.toml'}: Poetry`,
    };
  },
  ({ names, pyproject }) => {
    if (!names.has('pdm.lock') && !('pdm' in childRecord(pyproject, 'tool'))) return undefined;
    const locked = names.has('pdm.lock');
    const installsProject = hasBuild(pyproject);
    return {
      name: 'pdm',
      install: `pdm ${locked ? 'sync' : 'install'} --prod${installsProject ? '' : ' --no-self'}`,
      add: withPip,
      files: installsProject ? [] : ['pyproject.toml', 'pdm.lock', 'pdm.toml'],
      installsProject,
      reason: `${locked ? 'pdm.lock' : 'tool.pdm of pyproject.toml'}: PDM`,
    };
  },
  ({ names }) => {
    if (!names.has('Pipfile')) return undefined;
    const locked = names.has('Pipfile.lock');
    return {
      name: 'pipenv',
      install: `PIPENV_VENV_IN_PROJECT=1 pipenv install${locked ? ' --deploy' : ' --skip-lock'}`,
      add: withPip,
      files: ['Pipfile', 'Pipfile.lock'],
      installsProject: false,
      reason: `${locked ? 'Pipfile.lock' : 'Pipfile'}: Pipenv`,
    };
  },
  ({ names }) => {
    const file = ['environment.yml', 'environment.yaml'].find((name) => names.has(name));
    if (!file || names.has('requirements.txt')) return undefined;
    return {
      name: 'conda',
      install: `conda env create --prefix .venv --file ${file}`,
      add: (name) => ` && .venv/bin/python -m pip install ${name}`,
      files: [file],
      installsProject: false,
      reason: `${file}: conda`,
    };
  },
  ({ requirements, requirementsFile: file }) => {
    if (!file) return undefined;
    // A requirement may be a local folder or another file.
    const isLocal = /^[ \t]*(-e|--editable|\.|-r|-c|file:)|@ file:/m.test(requirements);
    return {
      name: 'pip',
      install: `python3 -m venv .venv && .venv/bin/pip install -r ${file}`,
      add: (name) => ` ${name}`,
      files: isLocal || file.includes('/') ? [] : [file],
      installsProject: false,
      reason: `${file}: pip`,
    };
  },
  ({ names, pyproject }) => {
    if (!hasBuild(pyproject) && !names.has('setup.py')) return undefined;
    return {
      name: 'pip',
      install: 'python3 -m venv .venv && .venv/bin/pip install .',
      add: (name) => ` ${name}`,
      files: [],
      installsProject: true,
      reason: `${names.has('setup.py') ? 'setup.py' : 'build-system of pyproject.toml'}: pip`,
    };
  },
  // A site without a list needs at least the version of Django that created it.
  ({ djangoVersion: version }) =>
    version
      ? {
          name: 'pip',
          install: `python3 -m venv .venv && .venv/bin/pip install 'django~=${version}.0'`,
          add: (name) => ` ${name}`,
          files: [],
          installsProject: false,
          reason: `settings.py: Django ${version}, and no requirements.txt that lists other packages`,
        }
      : undefined,
  ({ imported, names }) =>
    imported.length && !names.has('setup.py')
      ? {
          name: 'pip',
          install: `python3 -m venv .venv && .venv/bin/pip install ${imported.join(' ')}`,
          add: (name) => ` ${name}`,
          files: [],
          installsProject: false,
          reason:
            `no requirements.txt: the newest ${imported.join(', ')}, which the programs import. ` +
            'Add a requirements.txt to fix the versions',
        }
      : undefined,
  // pip can only install buildable packages; uv accepts a plain list of dependencies.
  ({ pyproject }) =>
    pyproject && 'project' in pyproject ? uv(pyproject, false, 'pyproject.toml without a lock file: uv') : undefined,
];

/** Returns the package manager and its commands. */
export function findManager(project: PythonProject): PythonManager {
  const found = rules.map((rule) => rule(project)).find((manager) => manager !== undefined);
  const none = {
    name: 'pip',
    install: null,
    add: () => '',
    files: [],
    installsProject: false,
    reason: 'no dependencies: pip, which comes with Python',
  };
  const manager = found ?? none;
  return { ...manager, files: manager.files.filter((file) => project.names.has(file)) };
}

const hasBuild = (pyproject: PythonProject['pyproject']) =>
  textOrNull(childRecord(pyproject, 'build-system')['build-backend']) !== null ||
  'setuptools' in childRecord(pyproject, 'tool');

function uv(pyproject: PythonProject['pyproject'], locked: boolean, reason: string): PythonManager {
  const installsProject = hasBuild(pyproject);
  const isWorkspace =
    'workspace' in childRecord(pyproject, 'tool', 'uv') || 'sources' in childRecord(pyproject, 'tool', 'uv');
  return {
    name: 'uv',
    install: `uv sync${locked ? ' --locked' : ''} --no-dev`,
    add: (name) => ` && uv pip install ${name}`,
    files: installsProject || isWorkspace ? [] : ['pyproject.toml', 'uv.lock', '.python-version'],
    installsProject,
    reason,
  };
}
