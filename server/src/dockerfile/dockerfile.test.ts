import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderTree } from '../detect/folder-tree.ts';
import { detect } from '../detect/index.ts';
import type { DockerfileOptions } from './dockerfile.ts';
import { buildContext, generateDockerfile } from './index.ts';

const examples = resolve(import.meta.dirname, '../../../examples');
const names = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

const options: DockerfileOptions = {
  folder: '',
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  outputDirectory: null,
  cacheScope: 'example',
  variables: [],
  secrets: [],
};

/** The examples, and their subfolders with expectations of their own. */
const cases = names.flatMap((name) => {
  const { in: inside = {} } = JSON.parse(readFileSync(join(examples, name, 'expect.json'), 'utf8')) as { in?: object };
  return ['', ...Object.keys(inside)].map((folder) => [name, folder] as const);
});

const golden = (name: string, folder: string) =>
  join(examples, name, folder ? `expect.${folder.replaceAll('/', '-')}.Dockerfile` : 'expect.Dockerfile');

describe('generated Dockerfiles', () => {
  // `vitest -u` updates the snapshots.
  it.each(cases)('examples/%s %s', async (name, folder) => {
    const found = await detect(folderTree(join(examples, name)), folder);
    const { folder: inside } = buildContext(found, folder);
    const made = generateDockerfile(found, { ...options, folder: inside });
    if (!made) expect(existsSync(golden(name, folder))).toBe(false);
    else await expect(made.dockerfile).toMatchFileSnapshot(golden(name, folder));
  });

  it.each(cases)(
    'examples/%s %s: runs as non-root, listens on all addresses and has a separate stage',
    async (name, folder) => {
      const found = await detect(folderTree(join(examples, name)), folder);
      const made = generateDockerfile(found, { ...options, ...buildContext(found, folder) });
      if (!made) return;
      const [build, final] = made.dockerfile.replace(/FROM \S+ AS base\n.*?\n\n/s, '').split(/\n\n/);
      // A prebuilt site needs no build stage.
      if (!final) return expect(build).toMatch(/^# .*\nFROM scratch\nCOPY \S+ \/site\n$/);
      expect(build).toMatch(/^# .*\nFROM \S+ AS build\n/);
      if (made.site) expect(final).toMatch(/^FROM scratch\nCOPY --from=build \/app\S* \/site\n$/);
      else {
        expect(final).toMatch(/^FROM \S+\n/);
        expect(final).toMatch(/\nUSER 10001:10001\nEXPOSE \d+\nCMD \[".+"\]\n$/s);
        expect(final).toContain('ENV HOST=0.0.0.0 PORT=');
      }
      for (const image of made.images)
        expect(made.dockerfile).toMatch(new RegExp(`(FROM |--from=)${image.replaceAll(/[.+]/g, '\\$&')}( |\n)`));
    },
  );
});
