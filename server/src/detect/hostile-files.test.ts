import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detect } from './index.ts';
import { memoryTree } from './memory-tree.ts';

/** Files that a provider or fact reads. */
const names = `
  package.json package.json5 angular.json nx.json apps/a/project.json lerna.json polymer.json pnpm-lock.yaml
  yarn.lock index.js pnpm-workspace.yaml .nvmrc .tool-versions mise.toml next.config.js composer.json composer.lock index.php
  go.mod go.work main.go pom.xml app/pom.xml build.gradle settings.gradle gradle/libs.versions.toml build.sbt
  project/plugins.sbt project.clj deps.edn build.clj system.properties Cargo.toml .cargo/config.toml
  rust-toolchain.toml Gemfile Gemfile.lock config.ru config/application.rb mix.exs rebar.config gleam.toml
  requirements.txt requirements/base.txt pyproject.toml poetry.lock Pipfile Pipfile.lock setup.cfg main.py app/main.py manage.py site/settings.py deno.json main.ts
  App.csproj global.json pubspec.yaml Package.swift stack.yaml package.yaml a.cabal shard.yml a.nimble
  build.zig build.zig.zon dune-project bin/dune app.pl hugo.toml config.toml book.toml mkdocs.yml docs/conf.py
  _config.yml CMakeLists.txt meson.build Makefile main.c index.html start.sh Staticfile Procfile nixpacks.toml
  railpack.json railway.toml compose.yaml Dockerfile .env.example mooring.json config/database.php
  config/database.yml
`
  .trim()
  .split(/\s+/);

const texts: Record<string, string> = {
  nothing: '',
  zeros: '\0'.repeat(300_000),
  binary: Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7919) % 256)).toString('latin1'),
  brackets: 'a = [{"'.repeat(100_000),
  tags: '<modules><module>'.repeat(40_000),
  opened: '<!--'.repeat(200_000),
  spaces: `name = ${' '.repeat(900_000)}x`,
  quotes: '"\'`\\'.repeat(200_000),
  lines: '\n'.repeat(300_000),
  words: 'gem "a"\ninclude "a"\nuse ./a\nrequires a\n  a:\n- a\n'.repeat(6_000),
  assignments: `${'a = '.repeat(200_000)}FastAPI(`,
  places: `MEDIA_ROOT = ${'join('.repeat(100)}DATABASES "NAME": ${"BASE_DIR / 'a' ".repeat(50_000)}\n`,
  locks: '"platform-overrides": {"require": {"php": '.repeat(20_000),
  variables: `STATIC_ROOT = 1\n${"env('A', env.int('B'".repeat(40_000)}`,
  parentheses: 'add_executable(executable(addExecutable('.repeat(20_000),
};

describe('hostile files', () => {
  it.each(Object.keys(texts))('do not block the detection: %s', async (kind) => {
    const text = texts[kind]!;
    const began = performance.now();
    await detect(memoryTree(Object.fromEntries(names.map((name) => [name, text]))));
    for (const name of names) await detect(memoryTree({ [name]: text }));
    // For all files together; a single slow one would exceed it.
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('with any content give a complete result', async () => {
    const whole = Object.keys(await detect(memoryTree({}))).toSorted();
    const content = fc.oneof(
      fc.string(),
      fc.json(),
      fc.string({ unit: fc.constantFrom('a', '[', ']', '{', '}', '"', '=', ':', '\n', ' ', '<', '>', '/') }),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...names), content), async (files) => {
        const found = await detect(memoryTree(files));
        expect(Object.keys(found).toSorted()).toEqual(whole);
        expect(found.reasons.length).toBeGreaterThan(0);
      }),
      { numRuns: 300 },
    );
  });
});
