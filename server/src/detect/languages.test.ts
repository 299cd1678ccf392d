import { describe, expect, it } from 'vitest';
import { detect } from './index.ts';
import { memoryTree } from './memory-tree.ts';

const look = (files: Record<string, string>, folder = '') => detect(memoryTree(files), folder);
const json = JSON.stringify;

describe('Python', () => {
  const pyproject = '[project]\nname = "a"\ndependencies = ["fastapi"]\n';
  const main = { 'main.py': 'app = FastAPI()\n' };

  it.each([
    [{ 'uv.lock': '', 'pyproject.toml': pyproject }, 'uv', 'uv sync --locked --no-dev && uv pip install uvicorn'],
    [
      { 'poetry.lock': '', 'pyproject.toml': '[tool.poetry.dependencies]\nuvicorn = "*"' },
      'poetry',
      '--only main --no-interaction --no-root',
    ],
    [{ 'pdm.lock': '', 'pyproject.toml': `${pyproject}[tool.pdm]` }, 'pdm', 'pdm sync --prod --no-self'],
    [{ 'Pipfile.lock': '', Pipfile: '[packages]\nuvicorn = "*"' }, 'pipenv', 'pipenv install --deploy'],
    [
      { 'environment.yml': 'dependencies:\n  - python\n  - pip:\n    - uvicorn\n' },
      'conda',
      'conda env create --prefix .venv',
    ],
    [{ 'requirements.txt': 'fastapi[standard]\n' }, 'pip', '.venv/bin/pip install -r requirements.txt'],
  ])('%j uses %s', async (files, manager, install) => {
    const found = await look({ ...main, ...files });
    expect(found).toMatchObject({ packageManager: manager, startCommand: expect.stringContaining('uvicorn main:app') });
    expect(found.installCommand).toContain(install);
  });

  it('starts an app that a function of the same file makes', async () => {
    const made = (app: string) =>
      `def settings():\n    return 1\n\n\ndef ${app}(\n    a=1,\n) -> FastAPI:\n    return FastAPI()\n\n\n`;
    const files = {
      'requirements.txt': 'fastapi\nuvicorn',
      'app/main.py': `${made('assemble')}config = settings()\napp = assemble()\n`,
    };
    expect((await look(files)).startCommand).toContain('uvicorn app.main:app');
  });

  it('prefers a lock file to requirements', async () =>
    expect(await look({ ...main, 'requirements.txt': '', 'uv.lock': '', 'pyproject.toml': pyproject })).toMatchObject({
      packageManager: 'uv',
    }));

  it('needs the whole source if a requirement is local', async () => {
    expect((await look({ ...main, 'requirements.txt': 'fastapi\n' })).installFiles).toEqual(['requirements.txt']);
    for (const local of ['-e .', '-r base.txt', './lib', 'lib @ file:./lib'])
      expect((await look({ ...main, 'requirements.txt': `fastapi\n${local}\n` })).installFiles).toEqual([]);
  });

  it('ignores functions for another platform next to a Node.js app', async () => {
    const next = { 'package.json': json({ scripts: { start: 'next start' }, dependencies: { next: '15' } }) };
    const found = await look({ ...next, 'requirements.txt': 'fastapi', 'api/index.py': 'app = FastAPI()' });
    expect(found).toMatchObject({ framework: 'next', startCommand: 'npm run start' });
  });

  it('ignores a project file that only configures tools', async () =>
    expect(
      await look({
        'pyproject.toml': '[tool.ruff]\nline-length = 100',
        'package.json': json({ scripts: { start: 'node a' } }),
      }),
    ).toMatchObject({ language: 'javascript' }));

  it('runs declared commands without a runner', async () => {
    const found = await look({ 'requirements.txt': '', Procfile: 'web: uv run gunicorn a:b\nrelease: python m.py\n' });
    expect(found).toMatchObject({
      startCommand: 'gunicorn a:b',
      releaseCommand: 'python m.py',
    });
  });
});

describe('Node.js', () => {
  const express = { dependencies: { express: '5' } };

  it('does not run TypeScript with an older Node.js', async () => {
    const files = { 'src/index.ts': '', 'package.json': json(express) };
    expect((await look({ ...files, '.nvmrc': '20' })).startCommand).toBeNull();
    expect((await look({ ...files, '.nvmrc': 'v24' })).startCommand).toBe('node src/index.ts');
    const tsx = json({ ...express, devDependencies: { tsx: '4' } });
    expect((await look({ ...files, 'package.json': tsx, '.nvmrc': '20' })).startCommand).toBe('npx tsx src/index.ts');
  });

  it('installs from the manifests of all members and files at the root', async () => {
    const files = {
      'package.json': json({ workspaces: ['apps/*', 'packages/*'], packageManager: 'pnpm@9.5.0+sha512.abc' }),
      'pnpm-lock.yaml': "lockfileVersion: '9.0'",
      '.npmrc': '',
      'apps/web/package.json': json({ scripts: { start: 'node .' }, ...express }),
      'packages/ui/package.json': '{}',
    };
    const found = await look(files, 'apps/web');
    expect(found).toMatchObject({ workspaceDirectory: '', packageManagerVersion: '9.5.0' });
    const members = ['apps/web/package.json', 'packages/ui/package.json'];
    expect(found.installFiles).toEqual(['package.json', '.npmrc', 'pnpm-lock.yaml', ...members]);
    expect((await look(files)).installFiles).toEqual(found.installFiles);
    const built = { ...files, 'packages/ui/package.json': json({ scripts: { prepare: 'tsc' } }) };
    expect((await look(built, 'apps/web')).installFiles, 'a member is built during the install').toEqual([]);
  });

  it.each([
    [{ scripts: { postinstall: 'node setup.js' } }, []],
    [{ scripts: { prepare: 'husky' } }, ['package.json']],
    [{ dependencies: { lib: 'file:./lib' } }, []],
  ])('installs %j from %j', async (pkg, files) =>
    expect((await look({ 'package.json': json(pkg) })).installFiles).toEqual(files),
  );

  it.each([
    ['5.4', '7'],
    ['6.0', '8'],
    ['9.0', '9'],
  ])('maps lock file format %s to pnpm %s', async (format, version) =>
    expect(await look({ 'package.json': '{}', 'pnpm-lock.yaml': `lockfileVersion: '${format}'` })).toMatchObject({
      packageManagerVersion: version,
    }),
  );

  it('prefers an exact version to a range, and reports an unknown one', async () => {
    const engines = { 'package.json': json({ engines: { node: '>=18' } }) };
    expect((await look({ ...engines, '.node-version': '20.11.1' })).languageVersion).toBe('20.11.1');
    expect((await look({ ...engines, 'mise.toml': '[tools]\nnode = ["20", "22"]' })).languageVersion).toBe('20');
    const odd = await look({ 'package.json': '{}', '.nvmrc': 'lts/nonsense' });
    expect(odd.languageVersion).toBeNull();
    expect(odd.reasons.join()).toContain('.nvmrc: no version of Node.js that Mooring understands');
  });
});

describe('folders without a workspace', () => {
  it('list deployable apps, including Dockerfiles and compose files, but not every page', async () => {
    const found = await look({
      'api/go.mod': 'module a',
      'api/main.go': 'package main',
      'frontend/index.html': '<p>',
      'notes/index.html': '<p>',
      'services/mail/Dockerfile': 'FROM scratch',
      'stack/compose.yaml': 'services: {}',
    });
    expect(found.apps.map(({ rootDirectory, framework }) => [rootDirectory, framework])).toEqual([
      ['api', 'go'],
      ['frontend', 'static'],
      ['services/mail', null],
      ['stack', null],
    ]);
  });
});

describe('prebuilt programs', () => {
  it('are started as they are', async () => {
    const settings = json({ runtimeOptions: { framework: { name: 'Microsoft.AspNetCore.App', version: '8.0.0' } } });
    const found = await look({ 'shop.runtimeconfig.json': settings, 'shop.dll': '' });
    expect(found).toMatchObject({
      languageVersion: '8.0',
      buildCommand: null,
      startCommand: expect.stringMatching(/dotnet shop\.dll$/),
    });
  });

  it('need the libraries that they are linked with', async () => {
    const lock = '[[package]]\nname = "openssl-sys"\n[[package]]\nname = "pq-sys"\n';
    const found = await look({ 'Cargo.toml': '[package]\nname = "a"', 'Cargo.lock': lock, 'src/main.rs': '' });
    expect(found.systemPackages).toEqual(['libssl3', 'libpq5']);
  });
});

describe('precedence', () => {
  const start = json({ scripts: { start: 'node server.js', build: 'vite build' } });

  it.each([
    [
      'a Go program that serves a front end',
      { 'go.mod': 'module a', 'main.go': 'package main', 'package.json': start },
      'go',
    ],
    [
      'a Rust library beside a Node.js app',
      { 'Cargo.toml': '[package]\nname = "a"', 'src/lib.rs': '', 'package.json': start },
      'javascript',
    ],
    ['a Gemfile for tools', { Gemfile: 'gem "fastlane"', 'package.json': start }, 'javascript'],
    ['documentation of a Node.js app', { 'mkdocs.yml': 'site_name: a', 'package.json': start }, 'javascript'],
    [
      'Hugo with modules and scripts',
      { 'hugo.toml': '', 'go.mod': 'module a', 'package.json': json({ scripts: { build: 'hugo' } }) },
      'markdown',
    ],
    [
      'a page that a server has',
      { 'Cargo.toml': '[package]\nname = "a"', 'src/main.rs': '', 'public/index.html': '<p>' },
      'rust',
    ],
    ['a page beside a library', { 'go.mod': 'module a', 'docs/index.html': '<p>' }, 'go'],
  ])('%s', async (_, files, language) => expect(await look(files)).toMatchObject({ language }));
});

describe('the version of Hugo', () => {
  it.each([
    ['netlify.toml', '[build.environment]\nHUGO_VERSION = "0.92.2"'],
    ['vercel.json', '{"build": {"env": {"HUGO_VERSION": "0.92.2"}}}'],
    ['render.yaml', 'envVars:\n  - key: HUGO_VERSION\n    value: 0.92.2'],
    ['.github/workflows/pages.yml', "with:\n  hugo-version: '0.92.2'"],
    ['.tool-versions', 'hugo extended_0.92.2'],
  ])('is that of %s', async (file, text) => {
    const found = await look({ 'hugo.toml': '', [file]: text });
    expect([found.languageVersion, found.reasons]).toEqual([
      '0.92.2',
      expect.arrayContaining([`${file}: Hugo 0.92.2`]),
    ]);
  });

  it('is that of the image otherwise, and modules need Go', async () => {
    expect((await look({ 'hugo.toml': '', 'netlify.toml': '[build]\ncommand = "hugo"' })).languageVersion).toBeNull();
    const site = { 'hugo.toml': '[module]\n', '.tool-versions': 'hugo 0.120.4' };
    expect((await look(site)).buildPackages).toEqual(['golang-go']);
  });
});

describe('declared commands', () => {
  it.each([
    [{ 'railpack.json': json({ deploy: { startCommand: 'one' } }), Procfile: 'web: two' }, 'one'],
    [{ 'railway.toml': '[deploy]\nstartCommand = "three"' }, 'three'],
    [{ 'nixpacks.json': json({ start: { cmd: 'four' } }) }, 'four'],
    [{ Procfile: 'worker: five\nweb:   six  \n' }, 'six'],
    [{ 'railpack.json': json({ deploy: { startCommand: 'a\nb' } }), Procfile: 'worker: five' }, 'five'],
    [{ Procfile: 'worker: seven', 'main.py': '' }, 'python3 main.py'],
    [{ Procfile: 'clock: eight\nworker: nine\nrelease: ten' }, 'nine'],
  ])('%j starts with %j', async (files, command) => expect((await look(files)).startCommand).toBe(command));

  const vite = json({ scripts: { build: 'vite build' }, devDependencies: { vite: '7' } });

  it('turn a site into a process', async () => {
    const found = await look({ 'package.json': vite, 'index.html': '', Procfile: 'web: node server.js' });
    expect(found).toMatchObject({ outputDirectory: null, startCommand: 'node server.js' });
  });

  it.each(['vite preview', 'npx serve -s dist', 'npx -y http-server dist'])(
    'leave a site one if they only serve it: %s',
    async (command) => {
      const found = await look({ 'package.json': vite, 'index.html': '', Procfile: `web: ${command}` });
      expect(found).toMatchObject({ outputDirectory: 'dist', startCommand: null });
    },
  );
});
