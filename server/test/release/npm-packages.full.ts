import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { newFolder } from '../rig/children.ts';

const checkout = resolve(import.meta.dirname, '../../..');
const version = '7.8.9';
let folder: string;

beforeAll(async () => {
  const [work, out] = [newFolder('work'), newFolder('packages')];
  const { packForNpm } = (await import(join(checkout, 'scripts/npm-packages.mjs'))) as {
    packForNpm: (options: { version: string; work: string; out: string }) => Promise<void>;
  };
  await packForNpm({ version, work, out });
  folder = newFolder('project');
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const packages = ['mooring', 'mooring-client'].map((name) => join(out, `${name}-${version}.tgz`));
  execFileSync('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder, stdio: 'pipe' });
}, 300_000);

/** The user's own programs, not those of this checkout. */
const inProject = (file: string, ...args: string[]) => execFileSync(file, args, { cwd: folder, encoding: 'utf8' });

test('npx runs the command line of the package', () => {
  expect(inProject('npx', '--no-install', 'mooring', '--version').trim()).toBe(`mooring ${version}`);
  expect(inProject('npx', '--no-install', 'mooring', 'deploy', '--help')).toContain('mooring deploy');
});

test('Node imports the client and its folder part', () => {
  writeFileSync(
    join(folder, 'use.js'),
    `import { createClient } from '@mooring/client';
import { parseIgnoreFile } from '@mooring/client/folder';
console.log(typeof createClient({ baseUrl: 'http://127.0.0.1:1' }).GET, typeof parseIgnoreFile);`,
  );
  expect(inProject('node', 'use.js').trim()).toBe('function function');
});

test('the types of the client are checked', () => {
  mkdirSync(join(folder, 'src'));
  const check = (path: string) => {
    writeFileSync(
      join(folder, 'src/use.ts'),
      `import { createClient, type Schemas } from '@mooring/client';
import { parseIgnoreFile } from '@mooring/client/folder';
const client = createClient({ baseUrl: 'http://127.0.0.1:1' });
export const health = client.GET('${path}').then(({ data }) => data?.version.toUpperCase());
export type Project = keyof Schemas;
void parseIgnoreFile;`,
    );
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023,dom'];
    return () => inProject(join(checkout, 'node_modules/.bin/tsc'), ...options, '--types', '', 'src/use.ts');
  };
  check('/api/health')();
  expect(check('/api/nothing')).toThrow('Command failed');
});
