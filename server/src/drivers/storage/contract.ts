import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { killPut } from '../../../test/rig/killed-put.ts';
import type { PutTask } from '../../../test/rig/put-program.ts';
import { withPrefix } from './prefix.ts';
import { type Storage, StorageError, type StoredObject } from './storage.ts';

/** A driver under test and its fixtures. */
export interface StorageRig {
  storage: Storage;
  /** Returns what the destination holds but no list shows: upload parts, temporary files. */
  leftovers: () => Promise<string[]>;
  /** How another process opens the same destination; undefined if it cannot. */
  elsewhere?: Pick<PutTask, 'kind' | 'values' | 'localRoot' | 'prefix'>;
  close: () => Promise<void>;
}

/** `bigBytes`: more than the driver sends at once. `many`: more than it lists at once. */
export type ContractSizes = { bigBytes: number; many: number };

export const neverAborted = new AbortController().signal;
export const liveOptions = { signal: neverAborted };
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** In chunks of odd sizes, as from a socket. */
export const chunkedStream = (content: Buffer, pieceBytes = 70_001): Readable =>
  Readable.from(piecesOf(content, pieceBytes), { objectMode: false });
function* piecesOf(content: Buffer, pieceBytes: number) {
  for (let at = 0; at < content.length; at += pieceBytes) yield content.subarray(at, at + pieceBytes);
}

/** Yields `content`, then fails or hangs. */
function* thenFails(content: Buffer) {
  yield* piecesOf(content, 70_001);
  throw new Error('the source broke');
}
async function* thenHangs(content: Buffer) {
  yield* piecesOf(content, 70_001);
  await new Promise(() => {});
}

export async function listOf(storage: Storage, prefix = ''): Promise<StoredObject[]> {
  const found: StoredObject[] = [];
  for await (const object of storage.list(prefix, liveOptions)) found.push(object);
  return found;
}
export const keysOf = async (storage: Storage, prefix = ''): Promise<string[]> =>
  (await listOf(storage, prefix)).map(({ key }) => key);
export const contentOf = async (storage: Storage, key: string): Promise<Buffer> =>
  buffer(await storage.get(key, liveOptions));

const oddNames = [
  'with space',
  'ünïcödé/日本語/💾.tar.gz',
  `'single' "double" \`back\``,
  '100%/%41/%2F/%',
  'a+b=c&d?e#f;g:h@i,j!k~l*(m)[n]{o}|p^q\\r$s<t>u',
  '-rf/--/-',
  '.hidden/..almost/...',
  '$(touch pwned)/`id`',
  'trailing./ leading/ both ',
  'e\u0301/\u00e9',
  Array.from({ length: 4 }, (_, i) => String(i).repeat(200)).join('/'),
];
const leftByPut = /^(large\/)?\.mooring-[0-9a-f]{24}\.(part|upload)$/;
const refusedNames = [
  '',
  '/absolute',
  'a/../b',
  '..',
  './a',
  'a//b',
  'a/',
  'a\0b',
  'a\nb',
  'x'.repeat(256),
  Array.from({ length: 7 }, () => 'x'.repeat(200)).join('/'),
  '\ud800',
  `.mooring-${'0'.repeat(24)}.part`,
];

/** Behavior of every kind of destination. */
export function storageContract(
  name: string,
  start: () => Promise<StorageRig>,
  { bigBytes, many }: ContractSizes = { bigBytes: 3_000_000, many: 25 },
): void {
  describe(`storage contract: ${name}`, () => {
    let rig: StorageRig;
    let storage: Storage;
    let tests = 0;
    beforeAll(async () => {
      rig = await start();
    });
    afterAll(() => rig?.close());
    // Each test has its own folder, which also tests the prefix in all of them.
    beforeEach(() => {
      storage = withPrefix(rig.storage, `/test ${++tests}/deep/`);
    });
    const putText = (key: string, text: string) => storage.put(key, Readable.from([text]), liveOptions);

    it('stores a stream and returns it', async () => {
      const content = randomBytes(bigBytes);
      expect(await storage.put('big/one', chunkedStream(content), liveOptions)).toEqual({
        bytes: bigBytes,
        sha256: sha256(content),
      });
      expect((await contentOf(storage, 'big/one')).equals(content)).toBe(true);
      const [object, ...others] = await listOf(storage);
      expect(others).toEqual([]);
      expect(object).toMatchObject({ key: 'big/one', bytes: bigBytes });
      expect(Math.abs(object!.modifiedAt! - Date.now())).toBeLessThan(120_000);
      expect(await rig.leftovers()).toEqual([]);
    });

    it('stores an empty stream and one of tiny chunks', async () => {
      expect(await storage.put('empty', Readable.from([]), liveOptions)).toEqual({
        bytes: 0,
        sha256: sha256(Buffer.alloc(0)),
      });
      expect(await contentOf(storage, 'empty')).toHaveLength(0);
      const content = randomBytes(20_000);
      expect(await storage.put('tiny', chunkedStream(content, 1), liveOptions)).toMatchObject({
        sha256: sha256(content),
      });
      expect(await listOf(storage)).toMatchObject([
        { key: 'empty', bytes: 0 },
        { key: 'tiny', bytes: 20_000 },
      ]);
    });

    it('returns a range of an object', async () => {
      const content = randomBytes(1_000_000);
      await storage.put('parts', chunkedStream(content), liveOptions);
      const ranges: [number, number?][] = [[0, 0], [0, 9], [999_999], [5, 5], [70_000, 700_000], [400_000], [0, 5e6]];
      for (const [from, to] of ranges) {
        const got = await buffer(await storage.get('parts', { ...liveOptions, range: { from, to } }));
        expect(got.equals(content.subarray(from, to === undefined ? undefined : to + 1)), `${from}-${to}`).toBe(true);
      }
      for (const from of [1_000_000, 2_000_000])
        expect(await buffer(await storage.get('parts', { ...liveOptions, range: { from } }))).toHaveLength(0);
      for (const range of [{ from: -1 }, { from: 5, to: 4 }, { from: 0.5 }])
        await expect(storage.get('parts', { ...liveOptions, range })).rejects.toThrow(StorageError);
    });

    it('lists by prefix in key order', async () => {
      const names = ['a', 'a-b/x', 'a.b', 'ab/c/d', 'ab/c-d', 'ab/ce', 'b/ü', 'b/z', 'b/\u{1F4BE}', 'b/\uff5e'];
      for (const key of names) await putText(key, key);
      const sorted = names.toSorted((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)));
      expect(await keysOf(storage)).toEqual(sorted);
      for (const prefix of ['a', 'ab', 'ab/', 'ab/c', 'ab/c/', 'b/ü', 'none', 'none/at/all', 'a/b', 'b/..'])
        expect(await keysOf(storage, prefix), prefix).toEqual(sorted.filter((key) => key.startsWith(prefix)));
      await expect(keysOf(storage, 'a/../b')).rejects.toThrow(StorageError);
    });

    it(`lists ${many} objects`, { timeout: 240_000 }, async () => {
      const keys = Array.from({ length: many }, (_, i) => `many/${String(i).padStart(5, '0')}`);
      for (let at = 0; at < many; at += 20) await Promise.all(keys.slice(at, at + 20).map((key) => putText(key, key)));
      expect(await keysOf(storage, 'many/')).toEqual(keys);
      // Stopping early is fine.
      for await (const { key } of storage.list('many/', liveOptions)) {
        expect(key).toBe(keys[0]);
        break;
      }
    });

    it('deletes idempotently', async () => {
      await putText('gone/soon', 'x');
      await putText('stays', 'x');
      await storage.delete('gone/soon', liveOptions);
      await storage.delete('gone/soon', liveOptions);
      await storage.delete('never/was/there', liveOptions);
      expect(await keysOf(storage)).toEqual(['stays']);
      for (const key of ['gone/soon', 'never', 'never/was'])
        await expect(storage.get(key, liveOptions)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('replaces an object atomically while others read it', async () => {
      const [before, after] = [randomBytes(bigBytes), randomBytes(100_000)];
      await storage.put('same', chunkedStream(before), liveOptions);
      const whole = new Set([sha256(before), sha256(after)]);
      const done = new AbortController();
      const reading = (async () => {
        for (let i = 0; !done.signal.aborted || i === 0; i++) {
          const read = await contentOf(storage, 'same').catch(() => undefined);
          // The replacement may interrupt a reader, but a complete read is one of the two.
          if (read) expect(whole).toContain(sha256(read));
        }
      })();
      await storage.put('same', chunkedStream(after), liveOptions);
      done.abort();
      await reading;
      expect((await contentOf(storage, 'same')).equals(after)).toBe(true);
      await storage.put('same', chunkedStream(before), liveOptions);
      expect((await contentOf(storage, 'same')).equals(before)).toBe(true);
      expect(await keysOf(storage)).toEqual(['same']);
      expect(await rig.leftovers()).toEqual([]);
    });

    it('keeps the previous object and leaves nothing else when the stream fails', async () => {
      await putText('kept', 'as it was');
      for (const key of ['kept', 'new/one'])
        for (const sent of [0, 1000, bigBytes]) {
          const body = Readable.from(thenFails(randomBytes(sent)), { objectMode: false });
          await expect(storage.put(key, body, liveOptions)).rejects.toThrow('the source broke');
        }
      expect(await keysOf(storage)).toEqual(['kept']);
      expect(String(await contentOf(storage, 'kept'))).toBe('as it was');
      expect(await rig.leftovers()).toEqual([]);
    });

    it('keeps the previous object and leaves nothing else when it is aborted', async () => {
      await putText('kept', 'as it was');
      for (const sent of [0, 1000, bigBytes]) {
        const stop = new AbortController();
        const body = Readable.from(thenHangs(randomBytes(sent)), { objectMode: false });
        const putting = storage.put('kept', body, { signal: stop.signal });
        setTimeout(() => stop.abort(new Error('enough')), 300);
        const began = Date.now();
        await expect(putting).rejects.toThrow('enough');
        expect(Date.now() - began).toBeLessThan(5_000);
        expect(body.destroyed).toBe(true);
      }
      const body = Readable.from(['x']);
      await expect(storage.put('kept', body, { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
      await expect(storage.get('kept', { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
      expect(await keysOf(storage)).toEqual(['kept']);
      expect(String(await contentOf(storage, 'kept'))).toBe('as it was');
      expect(await rig.leftovers()).toEqual([]);
    });

    it('stops reading when its signal aborts', async () => {
      await storage.put('long', chunkedStream(randomBytes(bigBytes)), liveOptions);
      const stop = new AbortController();
      const stream = await storage.get('long', { signal: stop.signal });
      const reading = (async () => {
        for await (const _ of stream) await sleep(20).then(() => stop.abort(new Error('enough')));
      })();
      await expect(reading).rejects.toThrow();
      expect(String(stop.signal.reason)).toContain('enough');
      // Leaving early must not disturb the destination.
      (await storage.get('long', liveOptions)).destroy();
      expect(await contentOf(storage, 'long')).toHaveLength(bigBytes);
    });

    it('stores while many readers are stalled', async () => {
      await storage.put('long', chunkedStream(randomBytes(bigBytes)), liveOptions);
      const stop = new AbortController();
      const open = async () => (await storage.get('long', { signal: stop.signal })).on('error', () => {});
      const reading = Array.from({ length: 9 }, open);
      const lists = Array.from({ length: 3 }, () => storage.list('', { signal: stop.signal })[Symbol.asyncIterator]());
      const listing = lists.map((list) => list.next());
      // Some of them are aborted while they wait for their turn.
      const ended = Promise.allSettled([...reading, ...listing]);
      await Promise.all([
        putText('new', 'content'),
        putText('other', 'x').then(() => storage.delete('other', liveOptions)),
      ]);
      stop.abort(new Error('enough'));
      for (const result of await ended) {
        if (result.status === 'rejected') expect(String(result.reason)).toContain('enough');
        else if ('destroy' in result.value) result.value.destroy();
      }
      await Promise.all(lists.map(async (list) => list.return?.(undefined)));
      expect(String(await contentOf(storage, 'new'))).toBe('content');
      expect(await keysOf(storage)).toEqual(['long', 'new']);
    });

    it.each(oddNames)('stores under the key %s', async (key) => {
      await putText(key, `content of ${key}`);
      expect(await keysOf(storage)).toEqual([key]);
      expect(await keysOf(storage, key)).toEqual([key]);
      expect(String(await contentOf(storage, key))).toBe(`content of ${key}`);
      await storage.delete(key, liveOptions);
      expect(await keysOf(storage)).toEqual([]);
    });

    it('rejects unsafe keys and prefixes', async () => {
      for (const key of refusedNames) {
        const refused = { name: 'StorageError', code: 'misconfigured' };
        // Without the prefix, which would make some of them valid.
        await expect(rig.storage.put(key, Readable.from(['x']), liveOptions), key).rejects.toMatchObject(refused);
        await expect(rig.storage.get(key, liveOptions), key).rejects.toMatchObject(refused);
        await expect(rig.storage.delete(key, liveOptions), key).rejects.toMatchObject(refused);
      }
      for (const prefix of ['a/../b', '../a', 'a\0b', '/..', 'a//b'])
        expect(() => withPrefix(rig.storage, prefix)).toThrow(StorageError);
      expect(await keysOf(storage)).toEqual([]);
    });

    it('sweeps only old leftovers of a killed put', { timeout: 120_000 }, async () => {
      const hex = '0123456789abcdef01234567';
      const others = [`.mooring-${hex}.part.gz`, `.mooring-${hex}0.part`, '.mooring-short.part', 'x/.mooring-probe-x'];
      for (const key of [...others, 'x/y.part', '.mooring-probe-0123456789abcdef']) await putText(key, key);
      if (!rig.elsewhere) return expect(await storage.sweep(liveOptions)).toEqual({ removed: [], problems: [] });
      const prefix = `${rig.elsewhere.prefix ?? ''}/test ${tests}/deep`;
      await killPut({ ...rig.elsewhere, prefix, source: { hangsAfter: bigBytes } }, rig.leftovers);
      expect(await storage.sweep(liveOptions)).toEqual({ removed: [], problems: [] });
      expect(await rig.leftovers()).not.toEqual([]);
      // Not the leftovers of others.
      const beside = withPrefix(rig.storage, `/test ${tests}/beside`);
      expect(await beside.sweep({ ...liveOptions, olderThanMs: -60_000 })).toEqual({ removed: [], problems: [] });
      const { removed, problems } = await storage.sweep({ ...liveOptions, olderThanMs: -60_000 });
      expect(problems).toEqual([]);
      const [part, ...rest] = removed.filter((key) => key !== '.mooring-probe-0123456789abcdef');
      expect([part, rest, removed.length]).toEqual([expect.stringMatching(leftByPut), [], 2]);
      expect(await rig.leftovers()).toEqual([]);
      expect(await keysOf(storage)).toEqual([...others, 'x/y.part'].toSorted());
      expect(await storage.sweep({ ...liveOptions, olderThanMs: -60_000 })).toEqual({ removed: [], problems: [] });
    });

    it('keeps exactly one of several objects stored under a key concurrently', async () => {
      const contents = Array.from({ length: 5 }, () => randomBytes(bigBytes));
      const putting = contents.map((content) => storage.put('contested', chunkedStream(content), liveOptions));
      const results = await Promise.allSettled(putting);
      // Some destinations only detect afterwards that another upload was faster; those must not report success.
      const stored = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value.sha256);
      for (const result of results)
        if (result.status === 'rejected') expect(String(result.reason)).toMatch(/replaced by another/);
      expect(stored).toContain(sha256(await contentOf(storage, 'contested')));
      expect(await keysOf(storage)).toEqual(['contested']);
      expect(await rig.leftovers()).toEqual([]);
    });
  });
}
