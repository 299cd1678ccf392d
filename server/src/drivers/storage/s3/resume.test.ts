import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startBadLine } from '../../../../test/rig/bad-line.ts';
import { type RigS3, s3Key, startRigS3 } from '../../../../test/rig/s3.ts';
import { contentOf, liveOptions, chunkedStream } from '../contract.ts';
import { isTemporary, keyName } from '../keys.ts';
import type { PutOptions, Storage } from '../storage.ts';
import { createS3Storage } from './storage.ts';

const mebibyte = 1024 * 1024;
const content = randomBytes(8 * mebibyte + 1000);
const interrupted = new Error('interrupted');
const resumable: PutOptions = { ...liveOptions, resume: true, keeps: (error) => error === interrupted };

describe('resumed upload', () => {
  let s3: RigS3;
  const opened: Storage[] = [];
  beforeEach(async () => {
    s3 = await startRigS3();
  });
  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.close();
    await s3.stop();
  });

  function open(endpoint = s3.endpoint): Storage {
    const { bucket, region, ...credentials } = s3Key;
    const storage = createS3Storage(
      { endpoint: new URL(endpoint), bucket, region, credentials, reach: 'private' },
      { plan: [{ parts: 100, bytes: mebibyte }], patience: { attempts: 2, pauseMs: 10 } },
    );
    opened.push(storage);
    return storage;
  }
  const sentParts = () =>
    s3.asked
      .splice(0)
      .flatMap((each) => /^PUT .*partNumber=(\d+)/.exec(each)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => a - b);
  const leftovers = () => [...s3.uploads.keys(), ...[...s3.objects.keys()].filter((key) => isTemporary(keyName(key)))];

  /** Uploads the first five parts, and interrupts the upload. */
  async function interrupt(bytes = content): Promise<void> {
    const stop = new AbortController();
    async function* body() {
      yield bytes.subarray(0, 5 * mebibyte);
      // Without more bytes, parts of which only the last one is incomplete are all sent.
      while ([...s3.uploads.values()].every(({ parts }) => parts.size < 4)) await sleep(5);
      stop.abort(interrupted);
      yield bytes.subarray(5 * mebibyte);
    }
    const putting = open().put('big', Readable.from(body()), { ...resumable, signal: stop.signal });
    await expect(putting).rejects.toBe(interrupted);
  }

  it('sends only what is missing, and leaves nothing behind', async () => {
    s3.partsPerPage = 2;
    await interrupt();
    const [upload] = s3.uploads.values();
    const stored = [...upload!.parts.keys()];
    expect(stored.length).toBeGreaterThanOrEqual(4);
    expect(sentParts()).toEqual(expect.arrayContaining(stored));
    const { bytes } = await open().put('big', chunkedStream(content), resumable);
    expect(bytes).toBe(content.length);
    const missing = [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((number) => !stored.includes(number));
    expect(sentParts()).toEqual(missing);
    expect((await contentOf(open(), 'big')).equals(content)).toBe(true);
    expect(leftovers()).toEqual([]);
  });

  it('sends a part again that was stored incomplete or different', async () => {
    await interrupt();
    const [upload] = s3.uploads.values();
    upload!.parts.set(2, { ...upload!.parts.get(2)!, content: Buffer.alloc(10) });
    upload!.parts.set(3, { ...upload!.parts.get(3)!, etag: '"0123456789abcdef0123456789abcdef"' });
    sentParts();
    await open().put('big', chunkedStream(content), resumable);
    expect(sentParts()).toEqual(expect.arrayContaining([2, 3]));
    expect((await contentOf(open(), 'big')).equals(content)).toBe(true);
  });

  it('aborts uploads of the key that begin differently, and none of other keys', async () => {
    await interrupt(randomBytes(content.length));
    s3.uploads.set('theirs', { key: 'big-and-longer', parts: new Map() });
    sentParts();
    await open().put('big', chunkedStream(content), resumable);
    expect(sentParts()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect([...s3.uploads.keys()]).toEqual(['theirs']);
    expect((await contentOf(open(), 'big')).equals(content)).toBe(true);
  });

  it('begins anew if the access key may not list uploads', async () => {
    await interrupt();
    sentParts();
    s3.interfere = ({ method, url }, response) => {
      if (method !== 'GET' || !url!.includes('uploads')) return false;
      response.writeHead(403, { connection: 'close' }).end('<Error><Code>AccessDenied</Code></Error>');
      return true;
    };
    await open().put('big', chunkedStream(content), resumable);
    expect(sentParts()).toHaveLength(9);
    expect((await contentOf(open(), 'big')).equals(content)).toBe(true);
  });

  it('is aborted after errors that the caller does not keep it for', async () => {
    await interrupt();
    const stop = new AbortController();
    const cancelled = new Error('cancelled');
    s3.interfere = ({ url }) => {
      if (url!.includes('partNumber=9')) stop.abort(cancelled);
      return false;
    };
    const putting = open().put('big', chunkedStream(content), { ...resumable, signal: stop.signal });
    await expect(putting).rejects.toBe(cancelled);
    expect([...leftovers(), ...s3.objects.keys()]).toEqual([]);
  });

  it('keeps a complete object when only reading it back was interrupted', async () => {
    const stop = new AbortController();
    let reads = 0;
    s3.interfere = ({ method, url }) => {
      // The first request asks whether the key is free.
      if (method === 'GET' && url!.endsWith('/big') && ++reads === 2) stop.abort(interrupted);
      return false;
    };
    const putting = open().put('big', chunkedStream(content), { ...resumable, signal: stop.signal });
    await expect(putting).rejects.toBe(interrupted);
    expect([...s3.objects.keys()]).toEqual(['big']);
    await open().put('big', chunkedStream(content), resumable);
    expect([...s3.objects.keys(), ...s3.uploads.keys()]).toEqual(['big']);
  });

  it('is still verified: other bytes on reading back are an error', async () => {
    const marked = Buffer.concat([content.subarray(0, 2 * mebibyte), Buffer.from('0123456789abcdef'), content]);
    await interrupt(marked);
    const line = await startBadLine(Number(new URL(s3.endpoint).port));
    onTestFinished(() => line.stop());
    line.lieAbout = Buffer.from('0123456789abcdef');
    sentParts();
    await expect(
      open(`http://127.0.0.1:${line.port}`).put('big', chunkedStream(marked), resumable),
    ).rejects.toMatchObject({
      code: 'corrupted',
    });
    expect(sentParts().length).toBeLessThan(8);
    expect([...leftovers(), ...s3.objects.keys()]).toEqual([]);
  });

  it('is still verified: a stored part whose tag lies is an error', async () => {
    await interrupt();
    const [upload] = s3.uploads.values();
    upload!.parts.set(2, { ...upload!.parts.get(2)!, content: Buffer.alloc(mebibyte) });
    await expect(open().put('big', chunkedStream(content), resumable)).rejects.toMatchObject({ code: 'corrupted' });
    expect([...leftovers(), ...s3.objects.keys()]).toEqual([]);
  });
});
