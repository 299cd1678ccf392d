import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/rig/children.ts';
import { folderOf } from '../../../../test/rig/deploy.ts';
import { directStart, hasNothingToInstall } from './package-scripts.ts';

const packageOf = (content: object, files: Record<string, string> = {}) =>
  folderOf({ 'package.json': JSON.stringify(content), ...files });
const start = (content: object, command = 'npm run start') =>
  directStart({ release: packageOf(content), rootDirectory: '' }, command);

describe('a script of package.json', () => {
  it('is started without npm, with the variables and programs that npm gives it', async () => {
    const release = folderOf({
      'package.json': '{}',
      'apps/web/package.json': '{"name":"web","version":"1.2.3","scripts":{"start":"next start"}}',
    });
    expect(await directStart({ release, rootDirectory: 'apps/web' }, 'npm run start')).toEqual({
      command: 'next start',
      programs: ['apps/web', 'apps', '.'].map((path) => join(release, path, 'node_modules/.bin')),
      env: { npm_lifecycle_event: 'start', npm_package_name: 'web', npm_package_version: '1.2.3' },
    });
    const scripts = { start: 'node a.js', 'start:prod': 'node b.js' };
    for (const [command, text] of [
      ['npm start', 'node a.js'],
      ['npm run start:prod', 'node b.js'],
      ['pnpm run start', 'node a.js'],
    ] as const)
      expect((await start({ scripts }, command))?.command).toBe(text);
  });

  it.each([
    ['another command', { scripts: { start: 'x' } }, 'node server.js'],
    ['arguments', { scripts: { start: 'x' } }, 'npm run start -- --port 3000'],
    ['Yarn, which may have no folder of programs', { scripts: { start: 'x' } }, 'yarn run start'],
    ['a script before it', { scripts: { start: 'x', prestart: 'y' } }, 'npm run start'],
    ['a script after it', { scripts: { start: 'x', poststart: 'y' } }, 'npm run start'],
    ['no such script', { scripts: {} }, 'npm run start'],
    ['a script that is no text', { scripts: { start: 1 } }, 'npm run start'],
  ])('is left to the package manager: %s', async (_, content, command) => {
    expect(await start(content, command)).toBeUndefined();
  });

  it('is not read from outside of the release', async () => {
    const [release, outside] = [newFolder('release'), packageOf({ scripts: { start: 'x' } })];
    symlinkSync(join(outside, 'package.json'), join(release, 'package.json'));
    expect(await directStart({ release, rootDirectory: '' }, 'npm run start')).toBeUndefined();
    expect(await hasNothingToInstall({ release, rootDirectory: '' })).toBe(false);
  });
});

describe('npm install', () => {
  const isSkipped = (content: object, files?: Record<string, string>, rootDirectory = '') =>
    hasNothingToInstall({ release: packageOf(content, files), rootDirectory });

  it('is skipped where nothing depends on anything', async () => {
    expect(await isSkipped({ name: 'app', scripts: { start: 'node server.js', build: 'x' }, dependencies: {} })).toBe(
      true,
    );
  });

  it.each([
    [{ dependencies: { a: '1' } }],
    [{ devDependencies: { a: '1' } }],
    [{ optionalDependencies: { a: '1' } }],
    [{ peerDependencies: { a: '1' } }],
    [{ workspaces: ['packages/*'] }],
    [{ scripts: { postinstall: 'x' } }],
    [{ scripts: { prepare: 'x' } }],
    [{}, { 'package-lock.json': '{}' }],
    [{}, { 'binding.gyp': '' }],
    [{}, { 'packages/a/package.json': '{}' }, 'packages/a'],
  ] as [object, Record<string, string>?, string?][])('is run for %j %j %j', async (content, files, root) => {
    expect(await isSkipped(content, files, root)).toBe(false);
  });

  it('is run where package.json is no JSON: npm says so', async () => {
    const release = newFolder('release');
    writeFileSync(join(release, 'package.json'), '{');
    expect(await hasNothingToInstall({ release, rootDirectory: '' })).toBe(false);
  });
});
