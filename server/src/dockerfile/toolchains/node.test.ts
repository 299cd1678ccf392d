import { describe, expect, it } from 'vitest';
import { detect } from '../../detect/index.ts';
import { memoryTree } from '../../detect/memory-tree.ts';
import { generateDockerfile } from '../index.ts';
import { nodeImage } from './node-image.ts';

const options = {
  folder: '',
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  outputDirectory: null,
  cacheScope: 'example',
  variables: [],
  secrets: [],
};

const dockerfileOf = async (pkg: object, files: Record<string, string> = {}) => {
  const found = await detect(memoryTree({ 'package.json': JSON.stringify(pkg), 'server.js': '', ...files }));
  return generateDockerfile(found, options)!.dockerfile;
};

describe('image of Node.js', () => {
  it.each([
    [null, 'node:22-slim', false],
    ['24', 'node:24-slim', false],
    ['18', 'node:18-slim', false],
    ['18.12.0', 'node:18.12.0-slim', true],
    ['16.14.0', 'node:16-bookworm-slim', false],
    ['15', 'node:16-bookworm-slim', false],
    ['14.17', 'node:14-bullseye-slim', true],
    ['11', 'node:12-bullseye-slim', true],
    ['10', 'node:10-buster-slim', true],
    ['0.12', 'node:8-buster-slim', true],
  ])('%s', (version, image, isArchived) => {
    expect(nodeImage(version)).toEqual({ image, ...(isArchived && { isArchived }) });
  });

  it('falls back to the archive of Debian for packages', async () => {
    const old = await dockerfileOf({ engines: { node: '14' }, dependencies: { sqlite3: '5' } });
    expect(old).toContain('(apt-get update || (sed -i ');
    expect(old).toContain('archive.debian.org');
    expect(await dockerfileOf({ dependencies: { sqlite3: '5' } })).not.toContain('archive.debian.org');
  });
});

describe('tools in the image', () => {
  it('include Bun for scripts that call it', async () => {
    const pkg = { packageManager: 'npm@11.0.0', scripts: { start: 'bun run server.ts' } };
    expect(await dockerfileOf(pkg)).toContain('COPY --from=oven/bun:1 /usr/local/bin/bun /usr/local/bin/bun');
  });

  it('include Node.js for frameworks that Bun installs', async () => {
    const next = { packageManager: 'bun@1.2.0', scripts: { start: 'next start' }, dependencies: { next: '15' } };
    expect(await dockerfileOf(next)).toContain('COPY --from=node:22-slim /usr/local/bin/ /usr/local/bin/');
    expect(await dockerfileOf({ packageManager: 'bun@1.2.0' })).not.toContain('node:22-slim');
  });

  it("keep Playwright's browser in the app's folder", async () => {
    const text = await dockerfileOf({ dependencies: { playwright: '1' } });
    expect(text.match(/PLAYWRIGHT_BROWSERS_PATH=\/app\/\.playwright/g)).toHaveLength(2);
    expect(text).toContain('npx playwright install chromium');
  });
});
