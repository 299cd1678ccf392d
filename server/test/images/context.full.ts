import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { BuildRefusedError } from '../../src/drivers/images/errors.ts';
import { contextFolder } from '../../src/drivers/images/images-rig.ts';
import { openContext } from '../../src/drivers/images/context/context.ts';

const listed = async (folder: string) => {
  const entries = [];
  for await (const entry of (await openContext(folder)).entries()) entries.push(entry);
  return entries;
};
const contentOf = async (folder: string, path: string, meanwhile: () => void) => {
  const context = await openContext(folder);
  for await (const entry of context.entries())
    if (entry.path === path) {
      meanwhile();
      return Buffer.concat((await Readable.from(context.content(entry)).toArray()) as Buffer[]).toString();
    }
  throw new Error(`${path} is not there`);
};

describe('build context', () => {
  it('lists folders before their contents, in byte order', async () => {
    const folder = contextFolder({ 'b/x': '', 'b.txt': '', 'b-': '', 'a/': '', ａ: '', '💥': '', Z: '' });
    expect((await listed(folder)).map(({ path }) => path)).toEqual(['Z', 'a', 'b', 'b/x', 'b-', 'b.txt', 'ａ', '💥']);
  });

  it('keeps symlinks as symlinks, whatever their target, and skips special files', async () => {
    const folder = contextFolder({ out: '-> /etc', up: '-> ../..', loop: '-> loop', in: '-> a', a: '1' });
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    expect((await listed(folder)).map(({ path, type, target }) => [path, type, target])).toEqual([
      ['a', 'file', ''],
      ['in', 'link', 'a'],
      ['loop', 'link', 'loop'],
      ['out', 'link', '/etc'],
      ['up', 'link', '../..'],
    ]);
    writeFileSync(join(folder, '.dockerignore'), '-> x');
    rmSync(join(folder, '.dockerignore'));
    symlinkSync('/etc/passwd', join(folder, '.dockerignore'));
    expect(await listed(folder)).toHaveLength(6);
  });

  it('includes the parent folders of re-included paths in an ignored one, and only those', async () => {
    const folder = contextFolder({ '.dockerignore': '*\n!a/b/c', 'a/b/c': '', 'a/b/d': '', 'a/e/f': '', g: '' });
    expect((await listed(folder)).map(({ path }) => path)).toEqual(['a', 'a/b', 'a/b/c']);
  });

  it('never returns another file than the one it listed', async () => {
    const secret = join(newFolder('outside'), 'secret');
    writeFileSync(secret, 'secret!');
    const files = { 'f/a': 'content' };
    const tricks: ((folder: string) => void)[] = [
      (folder) => truncateSync(join(folder, 'f/a'), 3),
      (folder) => rmSync(join(folder, 'f/a')),
      (folder) => {
        rmSync(join(folder, 'f/a'));
        symlinkSync(secret, join(folder, 'f/a'));
      },
      (folder) => {
        renameSync(join(folder, 'f'), join(folder, 'g'));
        const other = newFolder('other');
        writeFileSync(join(other, 'a'), 'secret!');
        symlinkSync(other, join(folder, 'f'));
      },
      (folder) => {
        renameSync(join(folder, 'f/a'), join(folder, 'f/b'));
        writeFileSync(join(folder, 'f/a'), 'another');
      },
      (folder) => {
        rmSync(join(folder, 'f/a'));
        execFileSync('mkfifo', [join(folder, 'f/a')]);
      },
    ];
    for (const trick of tricks) {
      const folder = contextFolder(files);
      await expect(contentOf(folder, 'f/a', () => trick(folder))).rejects.toThrow(BuildRefusedError);
    }
    const folder = contextFolder(files);
    expect(await contentOf(folder, 'f/a', () => appendFileSync(join(folder, 'f/a'), 'more'))).toBe('content');
  });

  it('rejects names and depths that no engine accepts', async () => {
    const folder = newFolder('context');
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/a`), Buffer.from([0xff])]), '');
    await expect(listed(folder)).rejects.toThrow('not UTF-8');
    const deep = newFolder('context');
    mkdirSync(join(deep, 'd/'.repeat(200)), { recursive: true });
    await expect(listed(deep)).rejects.toThrow('128 folders deep');
    const large = contextFolder({ '.dockerignore': 'x\n'.repeat(6000) });
    await expect(listed(large)).rejects.toThrow('more than 5000 rules');
  });
});
