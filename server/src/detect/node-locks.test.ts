import { describe, expect, it } from 'vitest';
import type { Detection } from './detect.ts';
import { detect } from './index.ts';
import { memoryTree } from './memory-tree.ts';
import { rangeAllows } from './version-range.ts';

const look = (pkg: object, files: Record<string, string> = {}): Promise<Detection> =>
  detect(memoryTree({ 'package.json': JSON.stringify(pkg), 'server.js': '', ...files }));

describe('a lock file that does not match', () => {
  const pkg = { name: 'shop', dependencies: { express: '^5.0.0', ms: '^2.1.0' } };
  const npmLock = (root: object, version = '2.1.3') =>
    JSON.stringify({ lockfileVersion: 3, packages: { '': root, 'node_modules/ms': { version } } });
  const locked = { dependencies: { express: '^5.0.0', ms: '^2.1.0' } };
  const berry = (lines: string) =>
    `__metadata:\n  version: 8\n\n"shop@workspace:.":\n  version: 0.0.0-use.local\n  dependencies:\n${lines}\n  languageName: unknown\n`;

  it.each([
    ['package-lock.json', npmLock(locked), undefined],
    ['package-lock.json', npmLock({ dependencies: { express: '^5.0.0', ms: '^2.0.0' } }), undefined],
    ['package-lock.json', npmLock({ dependencies: { express: '^5.0.0', ms: '^2.0.0' } }, '2.0.0'), 'ms'],
    ['package-lock.json', npmLock({ dependencies: { ms: '^2.1.0' } }), 'express'],
    ['package-lock.json', npmLock(locked).slice(0, -20), undefined],
    ['package-lock.json', '{"lockfileVersion":1,"dependencies":{"express":{"version":"5.1.0"}}}', 'ms'],
    ['pnpm-lock.yaml', pnpmLock('express', 'ms'), undefined],
    ['pnpm-lock.yaml', pnpmLock('express'), 'ms'],
    ['pnpm-lock.yaml', pnpmLock('express', 'ms', 'koa'), 'koa'],
    ['pnpm-lock.yaml', `---\nimporters:\n\n  .:\n    x: {}\n\n---\n${pnpmLock('express', 'ms')}`, undefined],
    ['pnpm-lock.yaml', 'lockfileVersion: 5.4\n\nspecifiers:\n  express: ^5.0.0\n  ms: ^2.0.0\n\npackages:\n', 'ms'],
    ['pnpm-lock.yaml', 'overrides:\n  ms: 2.0.0\n' + pnpmLock('express'), undefined],
    ['yarn.lock', 'express@^5.0.0:\n  version "5.1.0"\n\nms@2.0.0, ms@^2.1.0:\n  version "2.1.3"\n', undefined],
    ['yarn.lock', 'express@^5.0.0:\n  version "5.1.0"\n\nms@2.0.0:\n  version "2.0.0"\n', 'ms'],
    ['yarn.lock', berry('    express: "npm:^5.0.0"\n    ms: "npm:^2.1.0"'), undefined],
    ['yarn.lock', berry('    express: "npm:^5.0.0"'), 'ms'],
    ['bun.lock', '{"workspaces": {"": {"name": "shop", "dependencies": {"express": "^5.0.0"}},},}', 'ms'],
    ['bun.lock', '{"workspaces": {"": {"dependencies": {"express": "^5.0.0", "ms": "^2.1.0",}},},}', undefined],
  ])('%s %j: %s', async (file, text, dependency) => {
    const { installCommand, warnings } = await look(pkg, { [file]: text });
    expect(/about (\S+),/.exec(warnings[0]?.message ?? '')?.[1]).toBe(dependency);
    expect(/ ci$|--frozen|--immutable/.test(installCommand!)).toBe(dependency === undefined);
  });
});

describe('a lock file that does not match a member of the workspace', () => {
  const npm = (range: string) =>
    JSON.stringify({
      packages: { '': {}, a: { dependencies: { ms: range } }, 'node_modules/ms': { version: '2.0.0' } },
    });
  const pnpm = (range: string) =>
    `importers:\n\n  .: {}\n\n  a:\n    dependencies:\n      ms:\n        specifier: ${range}\n`;
  const berry = (range: string) =>
    `__metadata:\n  version: 8\n\n"a@workspace:a":\n  dependencies:\n    ms: "npm:${range}"\n\n"root-workspace@workspace:.":\n  x: y\n`;
  const bun = (range: string) => `{"workspaces": {"": {}, "a": {"name": "a", "dependencies": {"ms": "${range}"}}}}`;

  it.each([
    ['package-lock.json', npm],
    ['pnpm-lock.yaml', pnpm],
    ['yarn.lock', berry],
    ['bun.lock', bun],
  ])('%s', async (file, lock) => {
    const found = async (range: string) => {
      const files = {
        'a/package.json': '{"name": "a", "dependencies": {"ms": "^2.1.0"}}',
        'pnpm-workspace.yaml': 'packages: [a]',
        [file]: lock(range),
      };
      const source = { 'package.json': '{"workspaces": ["a"]}', ...files, 'a/server.js': '' };
      const { installCommand } = await detect(memoryTree(source), 'a');
      return / ci$|--frozen|--immutable/.test(installCommand!);
    };
    expect(await found('^2.1.0')).toBe(true);
    expect(await found('^1.0.0')).toBe(false);
  });
});

describe('pnpm and an old Node.js', () => {
  const managed = { packageManager: 'pnpm' };
  it.each([
    ['asked for', { ...managed, engines: { node: '16' } }, {}, '16', '8'],
    ['asked for, older', { ...managed, engines: { node: '14' } }, {}, '14', '7'],
    [
      'of a dependency',
      { dependencies: { 'react-scripts': '4.0.0' } },
      { 'pnpm-lock.yaml': 'lockfileVersion: 5.4' },
      '16',
      '7',
    ],
    [
      'too old for its lock file',
      { dependencies: { 'react-scripts': '4.0.0' } },
      { 'pnpm-lock.yaml': "lockfileVersion: '9.0'" },
      null,
      '9',
    ],
  ])('%s', async (_, pkg, files, languageVersion, packageManagerVersion) => {
    expect(await look(pkg, files)).toMatchObject({ languageVersion, packageManagerVersion });
  });
});

it('installs with another npm than a strict source asks for', async () => {
  const found = await look({ engines: { npm: '6' } }, { '.npmrc': 'engine-strict=true' });
  expect(found.installCommand).toBe('npm install --engine-strict=false');
});

const pnpmLock = (...names: string[]) => {
  const ranges: Record<string, string> = { express: '^5.0.0', ms: '^2.1.0', koa: '^3.0.0' };
  const entries = names.map((name) => `      ${name}:\n        specifier: ${ranges[name]}\n        version: 1.0.0\n`);
  return `lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n${entries.join('')}\npackages:\n`;
};

describe('versions', () => {
  it.each([
    [{ dependencies: { 'react-scripts': '3.4.1' } }, '16'],
    [{ dependencies: { 'react-scripts': '5.0.1' } }, undefined],
    [{ dependencies: { 'react-scripts': '4.0.3' }, engines: { node: '>=12' } }, '16'],
    [{ dependencies: { 'react-scripts': '4.0.3' }, engines: { node: '>=18' } }, '22'],
    [{ devDependencies: { gulp: '^3.9.1' } }, '10'],
    [{ devDependencies: { webpack: '^4.0.0', 'node-sass': '^4.14.1' } }, '14'],
    [{ engines: { node: '<=14' } }, '14'],
  ])('of Node.js for %j is %s', async (pkg, version) => {
    const found = await look(pkg);
    expect(found.languageVersion ?? undefined).toBe(version);
    // Without an image, the Node.js of the machine runs the app if it is in the range.
    if (version && version < '18') expect(rangeAllows(found.languageRequest!.range, '18.0.0')).toBe(false);
  });

  it('enable old hash functions if a newer Node.js is asked for', async () => {
    const pkg = { dependencies: { 'react-scripts': '4.0.3' }, engines: { node: '20' } };
    expect((await look(pkg)).buildCommand).toBe('NODE_OPTIONS=--openssl-legacy-provider npx react-scripts build');
    expect((await look({ ...pkg, engines: {} })).buildCommand).toBe('npx react-scripts build');
  });

  it('depend on the packages that the build script builds', async () => {
    const pkg = { scripts: { start: 'node server.js', 'heroku-postbuild': 'npm run build --prefix client' } };
    const client = JSON.stringify({ dependencies: { 'react-scripts': '3.3.0' } });
    expect((await look(pkg, { 'client/package.json': client })).languageVersion).toBe('16');
    expect((await look(pkg, { 'other/package.json': client })).languageVersion).toBeNull();
  });

  it.each([
    ["lockfileVersion: '9.0'", {}, {}, '9'],
    ["lockfileVersion: '9.0'", { pnpm: { onlyBuiltDependencies: ['sharp'] } }, {}, '10'],
    ["lockfileVersion: '9.0'", {}, { 'pnpm-workspace.yaml': 'onlyBuiltDependencies:\n  - sharp\n' }, '10'],
    ["lockfileVersion: '9.0'", {}, { 'pnpm-workspace.yaml': 'packages:\n  - apps/*\ncatalog:\n  a: 1\n' }, '9'],
    ["lockfileVersion: '9.0'", { engines: { pnpm: '>=8' } }, {}, '9'],
    ["lockfileVersion: '9.0'", { engines: { pnpm: '^10' } }, {}, '10'],
    ['lockfileVersion: 5.4', {}, {}, '7'],
  ])('of pnpm for %s %j %j', async (lock, pkg, files, version) => {
    expect((await look(pkg, { 'pnpm-lock.yaml': `${lock}\n`, ...files })).packageManagerVersion).toBe(version);
  });

  it.each([
    ['__metadata:\n  version: 6\n', {}, {}, '3'],
    ['__metadata:\n  version: 8\n', {}, {}, '4.13.0'],
    ['__metadata:\n  version: 10\n', {}, {}, '4'],
    ['', { packageManager: 'yarn@4.10.0' }, {}, '4.10.1'],
    ['', { packageManager: 'yarn@3.2.0' }, { '.yarnrc.yml': 'yarnPath: .yarn/releases/yarn-3.2.0.cjs\n' }, '3'],
    ['', { packageManager: 'yarn@4.1.0' }, { '.yarnrc.yml': 'yarnPath: .yarn/releases/yarn-4.1.0.cjs\n' }, '4'],
  ])('of Yarn for %j %j %j', async (lock, pkg, files, version) => {
    expect((await look(pkg, { 'yarn.lock': lock, ...files })).packageManagerVersion).toBe(version);
  });
});

describe("Yarn's Plug'n'Play", () => {
  const pkg = { packageManager: 'yarn@4.9.2' };

  it('keeps packages in the folder of the app, and starts programs through Yarn', async () => {
    expect(await look(pkg)).toMatchObject({
      installCommand: 'YARN_ENABLE_GLOBAL_CACHE=false yarn install --no-immutable',
      startCommand: 'yarn node server.js',
    });
  });

  it.each(['node-modules', '"pnpm"'])('is not assumed with nodeLinker: %s', async (linker) => {
    const found = await look(pkg, { '.yarnrc.yml': `nodeLinker: ${linker}\nyarnPath: tools/yarn.cjs\n` });
    expect(found).toMatchObject({ installCommand: 'yarn install --no-immutable', startCommand: 'node server.js' });
    expect(found.installFiles).toEqual(['package.json', '.yarnrc.yml', 'tools/yarn.cjs']);
  });
});
