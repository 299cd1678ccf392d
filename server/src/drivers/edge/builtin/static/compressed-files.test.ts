import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../../../test/rig/children.ts';
import { CompressedFiles } from './compressed-files.ts';
import type { OpenFile } from './files.ts';

const site = newFolder('site');
const logged: string[] = [];
const log = (line: string) => void logged.push(line);

function openedFile(name: string): OpenFile {
  const path = join(site, name);
  const stat = statSync(path);
  return { descriptor: openSync(path, 'r'), name, size: stat.size, path, stat, since: stat.ctime };
}

/** Returns the decompressed content; undefined if the plain file is to be sent. */
async function contentIn(files: CompressedFiles, name: string): Promise<string | undefined> {
  const plain = openedFile(name);
  const copy = await files.open(plain, 'gz', async () => openedFile(name));
  closeSync(plain.descriptor);
  if (!copy) return undefined;
  const packed = readFileSync(copy.descriptor);
  closeSync(copy.descriptor);
  expect(packed.length).toBe(copy.size);
  return gunzipSync(packed).toString();
}

describe('compressed copies', () => {
  it('are created once, reused after a restart, and recreated when the file changes', async () => {
    const folder = newFolder('compressed');
    writeFileSync(join(site, 'a.js'), 'a'.repeat(5000));
    expect(await contentIn(new CompressedFiles(folder, log), 'a.js')).toBe('a'.repeat(5000));
    const [made = ''] = readdirSync(folder);
    const { mtimeMs } = statSync(join(folder, made));
    expect(await contentIn(new CompressedFiles(folder, log), 'a.js')).toBe('a'.repeat(5000));
    expect(readdirSync(folder)).toEqual([made]);
    expect(statSync(join(folder, made)).mtimeMs).toBe(mtimeMs);
    writeFileSync(join(site, 'a.js'), 'b'.repeat(5000));
    expect(await contentIn(new CompressedFiles(folder, log), 'a.js')).toBe('b'.repeat(5000));
  });

  it('are skipped where they save nothing, and stay within their limit', async () => {
    const folder = newFolder('compressed');
    const files = new CompressedFiles(folder, log, { files: 3 });
    writeFileSync(join(site, 'noise.js'), crypto.getRandomValues(Buffer.alloc(5000)));
    expect(await contentIn(files, 'noise.js')).toBeUndefined();
    for (const name of ['1', '2', '3', '4']) {
      writeFileSync(join(site, name), name.repeat(2000));
      expect(await contentIn(files, name)).toBe(name.repeat(2000));
    }
    expect(readdirSync(folder)).toHaveLength(3);
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    expect(await contentIn(files, '4'), 'somebody has removed the copies').toBeUndefined();
    expect(await contentIn(files, '4')).toBe('4'.repeat(2000));
  });

  it('fall back to the plain file while they cannot be created, and are retried later', async () => {
    const folder = newFolder('compressed');
    const files = new CompressedFiles(folder, log, { pauseMs: 200 });
    writeFileSync(join(site, 'c.js'), 'c'.repeat(5000));
    const failing = await files.open(openedFile('c.js'), 'gz', () => Promise.reject(new Error('no disk')));
    expect(failing).toBeNull();
    expect(logged.join('\n')).toContain('no disk');
    expect(await contentIn(files, 'c.js'), 'paused').toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(await contentIn(files, 'c.js')).toBe('c'.repeat(5000));
  });
});
