import { describe, expect, it } from 'vitest';
import type { Detection } from './detect.ts';
import { detect } from './index.ts';
import { memoryTree } from './memory-tree.ts';

/** Apps with a chosen name in a place that becomes part of a command. */
const named: Record<string, (name: string) => Record<string, string>> = {
  'main of package.json': (name) => ({ 'package.json': JSON.stringify({ main: name }), [name]: '', 'index.js': '' }),
  'adapter of SvelteKit': (name) => ({
    'package.json': JSON.stringify({ dependencies: { '@sveltejs/kit': '2', '@sveltejs/adapter-node': '5' } }),
    'svelte.config.js': `import adapter from '@sveltejs/adapter-node';\nexport default { adapter: adapter({ out: '${name}' }) };`,
  }),
  'output of Angular': (name) => ({
    'package.json': JSON.stringify({ dependencies: { '@angular/core': '20', '@angular/ssr': '20' } }),
    'angular.json': JSON.stringify({
      projects: { app: { architect: { build: { options: { outputPath: name, ssr: true } } } } },
    }),
  }),
  'project of Nx': (name) => ({
    'package.json': '{}',
    'nx.json': '{}',
    'apps/a/project.json': JSON.stringify({
      name,
      projectType: 'application',
      targets: { build: { executor: '@nx/js:tsc', options: { outputPath: name } } },
    }),
  }),
  'module of Go': (name) => ({ 'go.mod': `module ${name}\n`, 'main.go': 'package main' }),
  'folder of Go': (name) => ({ 'go.mod': 'module a\n', [`cmd/${name}/main.go`]: 'package main' }),
  'package of Rust': (name) => ({ 'Cargo.toml': `[package]\nname = ${JSON.stringify(name)}\n`, 'src/main.rs': '' }),
  'folder of a Python package': (name) => ({ 'requirements.txt': 'fastapi', [`${name}/main.py`]: 'app = FastAPI()' }),
  'file of Python': (name) => ({ 'requirements.txt': '', [`${name}.py`]: '' }),
  'settings of Django': (name) => ({
    'requirements.txt': 'django',
    'manage.py': '',
    'a/settings.py': `WSGI_APPLICATION = '${name}.application'`,
  }),
  'media and database of Django': (name) => ({
    'requirements.txt': 'django',
    'manage.py': '',
    'a/settings.py':
      `MEDIA_ROOT = BASE_DIR / "${name}"\nDATABASES = {"a": {"ENGINE": "django.db.backends.sqlite3",` +
      `\n"NAME": BASE_DIR / "${name}.db"}}`,
  }),
  'script of Python': (name) => ({
    'pyproject.toml': `[project.scripts]\n${JSON.stringify(name)} = "a:b"\n[build-system]\nbuild-backend = "hatchling.build"`,
  }),
  'artifact of Maven': (name) => ({
    'pom.xml': `<project><artifactId>${name}</artifactId><version>${name}</version><build><finalName>${name}</finalName><mainClass>A</mainClass></build></project>`,
  }),
  'project of Gradle': (name) => ({
    'build.gradle': "mainClass = 'A'",
    'settings.gradle': `rootProject.name = '${name}'\ninclude '${name}'`,
  }),
  'name of sbt': (name) => ({ 'build.sbt': `name := "${name}"\nenablePlugins(JavaAppPackaging)` }),
  'archive of Clojure': (name) => ({ 'project.clj': `(defproject a "1" :uberjar-name "${name}")` }),
  'application of Elixir': (name) => ({ 'mix.exs': `[app: :${name}, releases: [${name}: []]]` }),
  'release of Erlang': (name) => ({ 'rebar.config': `{relx, [{release, {${name}, "1"}, []}]}.` }),
  'assembly of .NET': (name) => ({
    [`${name}.csproj`]: `<Project Sdk="Microsoft.NET.Sdk.Web"><AssemblyName>${name}</AssemblyName></Project>`,
    'b.csproj': `<Project Sdk="Microsoft.NET.Sdk.Web"><AssemblyName>${name}</AssemblyName></Project>`,
  }),
  'program of Dart': (name) => ({ 'pubspec.yaml': `name: ${name}`, [`bin/${name}.dart`]: '' }),
  'target of Swift': (name) => ({ 'Package.swift': `.executableTarget(name: "${name}")` }),
  'executable of Haskell': (name) => ({
    'stack.yaml': '',
    'package.yaml': `name: ${name}\nexecutables:\n  ${name}:\n    main: Main.hs`,
  }),
  'target of Crystal': (name) => ({ 'shard.yml': `name: ${name}\ntargets:\n  ${name}:\n    main: a` }),
  'program of Nim': (name) => ({ 'a.nimble': `bin = @["${name}"]\nbinDir = "${name}"` }),
  'executable of Zig': (name) => ({ 'build.zig': `addExecutable(.{ .name = "${name}" })` }),
  'executable of OCaml': (name) => ({ 'dune-project': '', [`${name}/dune`]: `(executable (name ${name}))` }),
  'rock of Lua': (name) => ({ 'main.lua': '', [`${name}.rockspec`]: '' }),
  'program of COBOL': (name) => ({ [`${name}.cbl`]: '' }),
  'target of CMake': (name) => ({ 'CMakeLists.txt': `project(${name})\nadd_executable(${name} a.c)` }),
  'target of Meson': (name) => ({ 'meson.build': `executable('${name}')` }),
  'target of make': (name) => ({ Makefile: `TARGET = ${name}\n\tcc -o ${name}`, 'main.c': '' }),
  'folder of Hugo': (name) => ({ 'hugo.toml': `publishDir = '${name}'` }),
  'extension of PHP': (name) => ({
    'index.php': '',
    'composer.json': JSON.stringify({ require: { [`ext-${name}`]: name }, config: { platform: { php: name } } }),
  }),
  'list for pip': (name) => ({ 'manage.py': 'django', 'requirements.txt': `django\n-r ${name}\n` }),
  'variable of Django': (name) => ({
    'manage.py': 'django',
    'requirements.txt': 'django\n',
    'site/settings.py': `STATIC_ROOT = env('${name}')\nSECRET_KEY = os.environ['${name}']\n`,
  }),
  'version of Django': (name) => ({
    'manage.py': 'django',
    'site/settings.py': `# docs.djangoproject.com/en/${name}/\n`,
  }),
  'folder of PHP': (name) => ({ 'index.php': '', Procfile: `web: heroku-php-apache2 ${name}` }),
};

const evil = [
  'a;id',
  '$(id)',
  '`id`',
  'a b',
  "a'b",
  'a"b',
  '-rf',
  '--eval=id',
  '../../x',
  '/etc/passwd',
  'a|id',
  'a&&id',
  '${IFS}',
  'a>b',
  'a\nRUN id',
  'a\\',
  '*',
  '~',
  '#',
];

describe('untrusted names', () => {
  it.each(Object.keys(named))('do not get into a command: %s', async (where) => {
    for (const name of evil) {
      const found = await detect(memoryTree(named[where]!(name)));
      const { installCommand, buildCommand, startCommand, releaseCommand, outputDirectory } = found satisfies Detection;
      const volumes = found.volumes.flatMap(({ name: volume, path }) => [volume, path]);
      const files = found.warnings.map(({ message }) => message);
      for (const text of [
        installCommand,
        buildCommand,
        startCommand,
        releaseCommand,
        outputDirectory,
        ...volumes,
        ...files,
      ])
        expect(withoutOurs(text ?? '')).not.toMatch(/[;|`"'\\\n#~><(){}]|\$|&|(^|\s)-rf|--eval|\.\.\/|\/etc\//);
    }
  });
});

/** Removes the parts that Mooring adds to commands. */
const withoutOurs = (command: string) =>
  command
    .replaceAll(/\$\{(HOST|PORT|RAILS_ENV):-[\w.]+\}/g, '')
    .replaceAll(' && ', ' ')
    .replaceAll(/'(development test|\w+(\.\w+)*:create_app\(\))'/g, '');
