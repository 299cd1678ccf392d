import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/rig/children.ts';
import { folderOf } from '../../../../test/rig/deploy.ts';
import { hasNothingToInstall } from './empty-install.ts';

const packageOf = (content: object, files: Record<string, string> = {}) =>
  folderOf({ 'package.json': JSON.stringify(content), ...files });

describe('npm install', () => {
  const isSkipped = (content: object, files?: Record<string, string>, rootDirectory = '') =>
    hasNothingToInstall(packageOf(content, files), rootDirectory);

  it('is skipped without dependencies', async () => {
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
  ] as [object, Record<string, string>?, string?][])('runs for %j %j %j', async (content, files, root) => {
    expect(await isSkipped(content, files, root)).toBe(false);
  });

  it('runs if package.json is a link out of the release', async () => {
    const [release, outside] = [newFolder('release'), packageOf({})];
    symlinkSync(join(outside, 'package.json'), join(release, 'package.json'));
    expect(await hasNothingToInstall(release, '')).toBe(false);
  });

  it('runs if package.json is invalid JSON, so that npm reports it', async () => {
    const release = newFolder('release');
    writeFileSync(join(release, 'package.json'), '{');
    expect(await hasNothingToInstall(release, '')).toBe(false);
  });
});
