import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  openSync,
  writeSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { newFolder } from '../../../../test/rig/children.ts';
import { contentOf, keysOf, liveOptions, storageContract, chunkedStream } from '../contract.ts';
import { testStorageContext } from '../storage-rig.ts';
import { isTemporary } from '../keys.ts';
import { localStorageKind } from './local.ts';
import { checkLocalRoot } from './local-root.ts';

const openAt = (endpoint: string, localRoot: string) =>
  localStorageKind.open({ endpoint }, testStorageContext({ localRoot }));
/** Whether a link in /proc leads there; the descriptor of the listing itself is gone by then. */
const leadsTo = (link: string, path: string): boolean => {
  try {
    return readlinkSync(link) === path;
  } catch {
    return false;
  }
};
const leftoversIn = (folder: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[]).filter((path) => isTemporary(path.split('/').at(-1)!));

storageContract('local', async () => {
  const root = newFolder('backups');
  return {
    storage: await openAt(join(root, 'not/there/yet'), root),
    leftovers: async () => leftoversIn(root),
    elsewhere: { kind: 'local', values: { endpoint: join(root, 'not/there/yet') }, localRoot: root },
    close: async () => {},
  };
});

describe('local folder', () => {
  it('closes its files at the end, when unread and when aborted', async () => {
    const root = newFolder('backups');
    const storage = await openAt(root, root);
    await storage.put('object', chunkedStream(randomBytes(2_000_000)), liveOptions);
    const isOpen = () =>
      readdirSync('/proc/self/fd').some((fd) => leadsTo(`/proc/self/fd/${fd}`, join(root, 'object')));
    const whole = await storage.get('object', liveOptions);
    expect(isOpen()).toBe(true);
    await whole.resume().toArray();
    await vi.waitFor(() => expect(isOpen()).toBe(false));
    const unread = await storage.get('object', liveOptions);
    unread.destroy();
    await vi.waitFor(() => expect(isOpen()).toBe(false));
    const stop = new AbortController();
    const half = await storage.get('object', { signal: stop.signal });
    const chunks = half[Symbol.asyncIterator]();
    await chunks.next();
    stop.abort(new Error('enough'));
    await expect(chunks.next()).rejects.toThrow();
    await vi.waitFor(() => expect(isOpen()).toBe(false));
  });

  const mebibyte = 1024 * 1024;
  /** Yields `count` mebibytes; calls `meanwhile` before the last one. */
  async function* mebibytes(count: number, meanwhile?: () => Promise<void> | void) {
    for (let i = 0; i < count; i++) {
      if (i === count - 1) await meanwhile?.();
      yield Buffer.alloc(mebibyte, i);
    }
  }

  // Long files are read back by a thread while they are written.
  it.each([10, 80])(
    'detects data that reads back differently, and keeps the previous object (%s MiB)',
    async (count) => {
      const root = newFolder('backups');
      const storage = await openAt(root, root);
      const hash = createHash('sha256');
      for await (const block of mebibytes(count)) hash.update(block);
      const body = () => Readable.from(mebibytes(count), { objectMode: false });
      const sent = { bytes: count * mebibyte, sha256: hash.digest('hex') };
      expect(await storage.put('large', body(), liveOptions)).toEqual(sent);
      const changing = Readable.from(
        mebibytes(count, () => {
          const [part] = leftoversIn(root);
          const file = openSync(join(root, part!), 'r+');
          writeSync(file, 'x', (count - 5) * mebibyte);
          closeSync(file);
        }),
        { objectMode: false },
      );
      await expect(storage.put('large', changing, liveOptions)).rejects.toMatchObject({ code: 'corrupted' });
      const stop = new AbortController();
      const ending = Readable.from(
        mebibytes(count, () => stop.abort(new Error('enough'))),
        { objectMode: false },
      );
      await expect(storage.put('large', ending, { signal: stop.signal })).rejects.toThrow('enough');
      expect(readdirSync(root)).toEqual(['large']);
      const found = createHash('sha256');
      for await (const chunk of await storage.get('large', liveOptions)) found.update(chunk as Buffer);
      expect(found.digest('hex')).toBe(sent.sha256);
    },
  );

  it('must be inside the root after resolving symlinks', async () => {
    const root = newFolder('backups');
    const outside = newFolder('outside');
    mkdirSync(join(root, 'real'));
    symlinkSync(outside, join(root, 'out'));
    symlinkSync(join(root, 'real'), join(root, 'in'));
    symlinkSync(root, join(outside, 'back'));
    symlinkSync('loop', join(root, 'loop'));
    // Nothing is there yet, so the symlink could later lead anywhere.
    symlinkSync(join(outside, 'later'), join(root, 'out-later'));
    symlinkSync('real/later', join(root, 'in-later'));
    const complaint = (endpoint: string, localRoot: string | undefined = root) =>
      localStorageKind.check({ endpoint }, { localRoot });
    for (const fine of [
      root,
      `${root}/`,
      join(root, 'a/b/c'),
      join(root, 'in/x'),
      join(root, 'in-later/x'),
      join(outside, 'back/x'),
    ])
      expect(await complaint(fine), fine).toBeUndefined();
    const wrong = ['relative', '', ' ', '/', outside, join(root, 'out'), join(root, 'out/deep/er'), `${root}/real/..`];
    for (const path of [
      ...wrong,
      `${root}/../x`,
      `${root}-twin`,
      `${root}/a\0b`,
      join(root, 'loop/x'),
      join(root, 'out-later'),
      join(root, 'out-later/x'),
      '/etc',
    ])
      expect(await complaint(path), path).toMatchObject({ field: 'endpoint' });
    expect(await localStorageKind.check({ endpoint: root }, { localRoot: undefined })).toMatchObject({
      field: 'endpoint',
    });
    // The root itself may be reached through a symlink.
    const alias = join(newFolder('alias'), 'root');
    symlinkSync(root, alias);
    expect(await complaint(join(alias, 'x'), alias)).toBeUndefined();
    expect(await complaint(join(root, 'x'), alias)).toBeUndefined();
    await (await openAt(join(alias, 'x'), alias)).put('a', Readable.from(['hello']), liveOptions);
    expect(readFileSync(join(root, 'x/a'), 'utf8')).toBe('hello');
  });

  it('is validated again at each use', async () => {
    const root = newFolder('backups');
    const outside = newFolder('outside');
    const storage = await openAt(join(root, 'mine'), root);
    await storage.put('deep/a', Readable.from(['hello']), liveOptions);
    renameSync(join(root, 'mine'), join(root, 'was-mine'));
    mkdirSync(join(outside, 'deep'));
    writeFileSync(join(outside, 'deep/a'), 'a secret');
    symlinkSync(outside, join(root, 'mine'));
    const refused = { code: 'misconfigured', message: /inside the folder/ };
    await expect(storage.put('b', Readable.from(['x']), liveOptions)).rejects.toMatchObject(refused);
    await expect(storage.get('deep/a', liveOptions)).rejects.toMatchObject(refused);
    await expect(storage.delete('deep/a', liveOptions)).rejects.toMatchObject(refused);
    await expect(keysOf(storage)).rejects.toMatchObject(refused);
    expect(readdirSync(outside)).toEqual(['deep']);
    expect(readFileSync(join(outside, 'deep/a'), 'utf8')).toBe('a secret');
  });

  it('neither follows nor lists symlinks', async () => {
    const root = newFolder('backups');
    const outside = newFolder('outside');
    writeFileSync(join(outside, 'secret'), 'a secret');
    symlinkSync(outside, join(root, 'folder'));
    symlinkSync(join(outside, 'secret'), join(root, 'file'));
    const storage = await openAt(root, root);
    await expect(storage.put('folder/x', Readable.from(['x']), liveOptions)).rejects.toMatchObject({
      code: 'misconfigured',
    });
    await expect(storage.get('folder/secret', liveOptions)).rejects.toMatchObject({ code: 'not_found' });
    await expect(storage.get('file', liveOptions)).rejects.toMatchObject({ code: 'not_found' });
    await storage.delete('folder/secret', liveOptions);
    expect(await keysOf(storage)).toEqual([]);
    await storage.put('file', Readable.from(['mine']), liveOptions);
    expect(String(await contentOf(storage, 'file'))).toBe('mine');
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('a secret');
    expect(readdirSync(outside)).toEqual(['secret']);
  });

  it('is never left through a folder that is swapped for a symlink', async () => {
    const root = newFolder('backups');
    const outside = newFolder('outside');
    mkdirSync(join(root, 'a/b'), { recursive: true });
    const storage = await openAt(join(root, 'a'), root);
    const over = new AbortController();
    const swapping = (async () => {
      for (let i = 0; !over.signal.aborted; i++) {
        const [at, aside] =
          i % 2 ? [join(root, 'a/b'), join(root, 'b-aside')] : [join(root, 'a'), join(root, 'a-aside')];
        renameSync(at, aside);
        symlinkSync(outside, at);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
        renameSync(at, join(root, 'link'));
        renameSync(aside, at);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
      }
    })();
    const results = [];
    for (let i = 0; i < 300; i++)
      results.push(
        await storage.put(`b/${i}`, chunkedStream(randomBytes(1000)), liveOptions).then(
          () => true,
          () => false,
        ),
      );
    over.abort();
    await swapping;
    expect(readdirSync(outside)).toEqual([]);
    // Both outcomes occurred, or the test proved nothing.
    expect(new Set(results)).toEqual(new Set([true, false]));
  });
});

describe('root of local folders', () => {
  it.each(['/', '/etc', '/usr/share', '/var', '/var/lib', '/home', '/root', '/tmp', '/proc/self', '/dev/shm', '/bin'])(
    'is never %s',
    async (root) => {
      expect(await checkLocalRoot(root, '/nowhere/data')).toMatch(/system folder|not an existing folder/);
    },
  );

  it('is an existing folder apart from our data', async () => {
    const root = newFolder('backups');
    const data = join(root, 'data');
    mkdirSync(data);
    symlinkSync('/etc', join(root, 'etc'));
    writeFileSync(join(root, 'file'), '');
    expect(await checkLocalRoot(root, newFolder('data'))).toBeUndefined();
    expect(await checkLocalRoot(root, '/nowhere/data')).toBeUndefined();
    expect(await checkLocalRoot(root, data)).toContain('overlap');
    expect(await checkLocalRoot(data, root)).toContain('overlap');
    expect(await checkLocalRoot(data, data)).toContain('overlap');
    expect(await checkLocalRoot(join(root, 'etc'), '/nowhere')).toContain('system');
    for (const none of ['relative', join(root, 'none'), join(root, 'file')])
      expect(await checkLocalRoot(none, '/nowhere')).toMatch(/absolute|not an existing folder/);
    expect(existsSync(join(root, 'none'))).toBe(false);
  });
});
