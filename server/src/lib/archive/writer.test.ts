import { execFileSync } from 'node:child_process';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readTar } from './reader.ts';
import { type WrittenEntry, writeTar } from './writer.ts';

const entry = (path: string, text = '', more: Partial<WrittenEntry> = {}): WrittenEntry => ({
  path,
  type: 'file',
  mode: 0o644,
  size: Buffer.byteLength(text),
  modifiedMs: 1_700_000_000_000,
  target: '',
  async *content() {
    yield Buffer.from(text);
  },
  ...more,
});

async function* each<T>(...items: T[]): AsyncGenerator<T> {
  yield* items;
}

const long = `${'folder/'.repeat(20)}${'n'.repeat(150)}`;
const entries = () =>
  each(
    entry('a', '', { type: 'folder', mode: 0o1755 }),
    entry('a/é💥.txt', 'hello'),
    entry('a/exact', 'x'.repeat(512), { mode: 0o4755 }),
    entry('empty'),
    entry(long, 'deep'),
    entry('link', '', { type: 'link', target: `../${'t'.repeat(150)}` }),
  );

describe('archive writer', () => {
  it('produces what our reader reads', async () => {
    const read: unknown[] = [];
    for await (const found of readTar(writeTar(entries()))) {
      const { type, path, mode, target } = found;
      const content = (await Readable.from(found.body()).toArray()) as Buffer[];
      read.push([type, path, mode.toString(8), target, Buffer.concat(content).toString().slice(0, 9)]);
    }
    expect(read).toEqual([
      ['folder', 'a/', '1755', '', ''],
      ['file', 'a/é💥.txt', '644', '', 'hello'],
      ['file', 'a/exact', '4755', '', 'xxxxxxxxx'],
      ['file', 'empty', '644', '', ''],
      ['file', long, '644', '', 'deep'],
      ['symlink', 'link', '644', `../${'t'.repeat(150)}`, ''],
    ]);
  });

  it('keeps owners beyond the range of the header, for tar too', async () => {
    const owner = { uid: 1_879_048_193, gid: 4_294_967_000 };
    const owned = [entry('small', 'x', { owner: { uid: 1000, gid: 33 } }), entry('large', 'x', { owner })];
    const archive = Buffer.concat((await Readable.from(writeTar(each(...owned))).toArray()) as Buffer[]);
    const read = [];
    for await (const found of readTar(each(archive))) read.push(found.owner);
    expect(read).toEqual([{ uid: 1000, gid: 33 }, owner]);
    const listed = execFileSync('tar', ['-tvf', '-', '--numeric-owner'], { input: archive, encoding: 'utf8' });
    expect(listed).toMatch(/ 1000\/33 .*small/);
    expect(listed).toMatch(/ 1879048193\/4294967000 .*large/);
  });

  it('produces what tar reads', async () => {
    const archive = Buffer.concat((await Readable.from(writeTar(entries())).toArray()) as Buffer[]);
    const listed = execFileSync('tar', ['-tvf', '-', '--quoting-style=literal', '--utc'], {
      input: archive,
      encoding: 'utf8',
    });
    expect(listed).toContain('drwxr-xr-t 0/0');
    expect(listed).toMatch(/-rw-r--r-- 0\/0 +5 2023-11-14 22:13 a\/é💥\.txt/);
    expect(listed).toContain(` ${long}\n`);
    expect(listed).toContain(` link -> ../${'t'.repeat(150)}\n`);
  });

  it('records a size that does not fit the header', async () => {
    const size = 9 * 2 ** 30;
    const first = await writeTar(each(entry('huge', '', { size }))).next();
    for await (const read of readTar(each(first.value as Buffer))) {
      expect(read.size).toBe(size);
      break;
    }
  });

  it.each([4, 6])('fails when a file has %i bytes instead of 5', async (size) => {
    await expect(Readable.from(writeTar(each(entry('a', 'x'.repeat(size), { size: 5 })))).toArray()).rejects.toThrow(
      'differs in length',
    );
  });
});
