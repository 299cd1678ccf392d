import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startBadLine } from '../../../../test/rig/bad-line.ts';
import { type RigS3, s3Key, startRigS3 } from '../../../../test/rig/s3.ts';
import { contentOf, keysOf, liveOptions, chunkedStream } from '../contract.ts';
import { isTemporary, keyName } from '../keys.ts';
import { testStorageContext } from '../storage-rig.ts';
import type { Storage } from '../storage.ts';
import { s3StorageKind } from './s3.ts';
import { createS3Storage, type S3Options } from './storage.ts';

const names = vi.hoisted(() => new Map<string, string[]>());
vi.mock('node:dns/promises', async (original) => ({
  ...(await original<object>()),
  lookup: async (name: string) => names.get(name)!.map((address) => ({ address, family: 4 })),
}));

const steady: S3Options = { patience: { stallMs: 15_000, attempts: 3, pauseMs: 10, connectMs: 2_000 } };
const hasty: S3Options = { patience: { ...steady.patience, stallMs: 500 } };
const hello = () => Readable.from(['hello']);
const big = randomBytes(20_000_000);

let s3: RigS3;
const opened: Storage[] = [];
beforeEach(async () => {
  s3 = await startRigS3();
});
afterEach(async () => {
  for (const storage of opened.splice(0)) await storage.close();
  await s3.stop();
});

type Changes = Partial<typeof s3Key> & { endpoint?: string; reach?: 'private' | 'public' };
function open({ endpoint = s3.endpoint, reach = 'private', ...more }: Changes = {}, options = steady): Storage {
  const { bucket, region, ...credentials } = { ...s3Key, ...more };
  const storage = createS3Storage({ endpoint: new URL(endpoint), bucket, region, credentials, reach }, options);
  opened.push(storage);
  return storage;
}

/** Returns the error of a put, and checks that it contains no secret. */
async function refusal(storage: Storage, body = hello()): Promise<{ code: string; message: string }> {
  const error = await storage.put('probe', body, liveOptions).then(
    () => Promise.reject(new Error('it worked')),
    (failure: Error & { code: string }) => failure,
  );
  for (const secret of [s3Key.secretAccessKey, s3Key.accessKeyId, 'Signature=', 'AWS4'])
    expect(`${error.message} ${error.stack}`).not.toContain(secret);
  return { code: error.code, message: error.message };
}
const said = (code: string, message: RegExp) => ({ code, message: expect.stringMatching(message) as string });
const xml = (code: string) => `<Error><Code>${code}</Code></Error>`;
/** Rejects the matching requests, up to `times`. */
const refuse = (fits: RegExp, status: number, body: string, times = Infinity, headers: Record<string, string> = {}) => {
  s3.interfere = (request, response) => {
    if (!fits.test(`${request.method} ${request.url}`) || times-- <= 0) return false;
    response.writeHead(status, { connection: 'close', ...headers }).end(body);
    return true;
  };
};

describe('S3 error messages', () => {
  it('report a wrong key, a wrong secret and a missing bucket', async () => {
    expect(await refusal(open({ accessKeyId: 'OTHER' }))).toEqual(said('auth_failed', /rejects the access key ID/));
    expect(await refusal(open({ secretAccessKey: 'other' }))).toEqual(
      said('auth_failed', /secret access key does not/),
    );
    expect(await refusal(open({ secretAccessKey: 'other' }), chunkedStream(big))).toEqual(
      said('auth_failed', /secret/),
    );
    expect(await refusal(open({ bucket: 'none-such' }))).toEqual(said('not_found', /no bucket none-such at 127/));
  });

  it('are avoided by detecting the region, and else report a wrong one', async () => {
    await open({ region: 'us-west-2' }).put('a', hello(), liveOptions);
    const values = { ...s3Key, region: undefined, endpoint: s3.endpoint };
    const storage = await s3StorageKind.open(values, testStorageContext());
    opened.push(storage);
    expect(await keysOf(storage)).toEqual(['a']);
    refuse(/PUT/, 301, xml('PermanentRedirect'));
    expect(await refusal(open())).toEqual(said('misconfigured', /another region/));
    refuse(/PUT/, 301, xml('PermanentRedirect'), Infinity, { 'x-amz-bucket-region': 'mars-1' });
    expect(await refusal(open())).toEqual(said('misconfigured', /region mars-1; set that one/));
  });

  it('name the missing permission to write, read or delete', async () => {
    refuse(/PUT/, 403, xml('AccessDenied'));
    expect(await refusal(open())).toEqual(said('permission_denied', /may not write to .* needs s3:PutObject/));
    refuse(/GET/, 403, xml('AccessDenied'));
    expect(await refusal(open())).toEqual(said('permission_denied', /may not read objects of .* needs s3:GetObject$/));
    expect([...s3.objects.keys()]).toEqual([]);
    refuse(/DELETE/, 403, xml('AccessDenied'));
    const storage = open();
    await storage.put('probe', hello(), liveOptions);
    await expect(storage.delete('probe', liveOptions)).rejects.toMatchObject(
      said('permission_denied', /s3:DeleteObject/),
    );
    refuse(/GET|DELETE/, 403, xml('AccessDenied'));
    expect(await refusal(open())).toEqual(said('permission_denied', /GetObject; the partial upload could not be/));
  });

  it.each([
    [403, xml('RequestTimeTooSkewed'), 'misconfigured', /clocks/],
    [507, '', 'no_space', /no space left/],
    [403, xml('QuotaExceeded'), 'no_space', /no space left/],
    [503, xml('SlowDown'), 'unreachable', /an internal error \(503 SlowDown\)/],
    [400, xml('BadDigest'), 'corrupted', /was corrupted on the way/],
    [400, xml('Strange&amp;Code'), 'misconfigured', /is not an S3 service/],
    [404, '<html>not found</html>', 'misconfigured', /is not an S3 service/],
    [400, xml('InvalidRequest'), 'misconfigured', /refuses to write to .* \(400 InvalidRequest\)/],
  ])('translate status %s %s', async (status, body, code, message) => {
    refuse(/PUT/, status, body);
    expect(await refusal(open())).toEqual(said(code, message));
  });

  it('report a server without TLS', async () => {
    expect(await refusal(open({ endpoint: s3.endpoint.replace('http', 'https') }))).toEqual(
      said('misconfigured', /does not support TLS/),
    );
  });
});

describe('bad connection to S3', () => {
  it('is retried where that helps', async () => {
    refuse(/PUT/, 503, xml('SlowDown'), 2);
    await open().put('a', hello(), liveOptions);
    expect(s3.asked.filter((each) => each.startsWith('PUT a'))).toHaveLength(3);
    const line = await startBadLine(Number(new URL(s3.endpoint).port));
    onTestFinished(() => line.stop());
    const storage = open({ endpoint: `http://127.0.0.1:${line.port}` });
    line.cut = { afterBytes: 2_000_000, times: 2 };
    await storage.put('big', chunkedStream(big), liveOptions);
    expect(line.cut.times).toBe(0);
    line.cutAnswer = { afterBytes: 3_000_000, times: 2 };
    expect((await contentOf(storage, 'big')).equals(big)).toBe(true);
    expect(line.cutAnswer.times).toBe(0);
  });

  it('fails with a reason when it stays bad, and leaves nothing behind', async () => {
    const line = await startBadLine(Number(new URL(s3.endpoint).port));
    onTestFinished(() => line.stop());
    const storage = open({ endpoint: `http://127.0.0.1:${line.port}` });
    line.cut = { afterBytes: 2_000_000, times: Infinity };
    expect(await refusal(storage, chunkedStream(big))).toEqual(said('unreachable', /connection .* was lost/));
    line.cut = undefined;
    const waiting = open({ endpoint: `http://127.0.0.1:${line.port}` }, hasty);
    line.freezeAfterBytes = 2_000_000;
    const began = Date.now();
    expect(await refusal(waiting, chunkedStream(big))).toEqual(said('timeout', /sent no data for 0.5 s/));
    expect(Date.now() - began).toBeLessThan(8_000);
    expect([...s3.objects.keys()]).toEqual([]);
  });

  it('fails when the server is silent or stalls in a response', async () => {
    s3.interfere = () => true;
    expect(await refusal(open({}, hasty))).toEqual(said('timeout', /sent no data/));
    s3.interfere = ({ method }, response) => {
      if (method === 'GET') response.writeHead(200, { 'content-length': '5' }).write('he');
      return method === 'GET';
    };
    expect(await refusal(open({}, hasty))).toEqual(said('timeout', /sent no data/));
    expect([...s3.objects.keys()]).toEqual([]);
  });

  it('fails when the port is closed', async () => {
    expect(await refusal(open({ endpoint: 'http://127.0.0.1:1' }))).toEqual(said('unreachable', /cannot be reached/));
  });

  it.each([1_000, 20_000_000])(
    'that changes bytes is detected, and the object is removed (%s bytes)',
    async (bytes) => {
      const line = await startBadLine(Number(new URL(s3.endpoint).port));
      onTestFinished(() => line.stop());
      const marker = Buffer.from('0123456789abcdef');
      const content = Buffer.alloc(bytes, marker);
      const storage = open({ endpoint: `http://127.0.0.1:${line.port}` });
      line.lieAbout = marker;
      expect(await refusal(storage, chunkedStream(content))).toEqual(
        said('corrupted', /came back with different bytes/),
      );
      expect([...s3.objects.keys()]).toEqual([]);
      line.lieAbout = undefined;
      await storage.put('probe', chunkedStream(content), liveOptions);
    },
  );

  it('that loses the completion of an upload is resolved by reading back', async () => {
    let lost = 1;
    s3.interfere = async (request, response) => {
      if (request.method !== 'POST' || !request.url!.includes('uploadId') || lost-- <= 0) return false;
      // The server completes the upload, but the response is lost.
      response.end = (() => request.socket.destroy()) as unknown as typeof response.end;
      return false;
    };
    await open().put('big', chunkedStream(big), liveOptions);
    expect(s3.objects.get('big')!.content.equals(big)).toBe(true);
    refuse(/POST.*uploadId/, 200, `<?xml version="1.0"?> ${xml('InternalError')}`);
    expect(await refusal(open(), chunkedStream(big))).toEqual(
      said('unreachable', /assemble the parts \(InternalError\)/),
    );
    expect([...s3.uploads.keys()]).toEqual([]);
  });
});

describe('S3 requests never go to', () => {
  it.each(['http://169.254.169.254', 'http://2852039166', 'http://[::ffff:169.254.169.254]', 'http://0xa9fea9fe:80'])(
    '%s',
    async (endpoint) => {
      expect(await refusal(open({ endpoint }))).toEqual(said('misconfigured', /is refused: /));
    },
  );

  it('names of such addresses, or our own machine when we serve strangers', async () => {
    names.set('metadata.example', ['169.254.169.254']);
    names.set('both.example', ['127.0.0.1', '169.254.169.254']);
    names.set('inside.example', ['127.0.0.1']);
    const { port } = new URL(s3.endpoint);
    for (const name of ['metadata.example', 'both.example'])
      expect(await refusal(open({ endpoint: `http://${name}:${port}` }))).toEqual(said('misconfigured', /is refused/));
    await open({ endpoint: `http://inside.example:${port}` }).put('a', hello(), liveOptions);
    for (const endpoint of [`http://inside.example:${port}`, s3.endpoint])
      expect(await refusal(open({ endpoint, reach: 'public' }))).toEqual(said('misconfigured', /is refused: /));
  });

  it.each([301, 302, 303, 307, 308])('redirect targets (%s)', async (status) => {
    let visits = 0;
    const other = createServer((_, response) => {
      visits++;
      response.end();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    for (const location of [
      `http://127.0.0.1:${(other.address() as { port: number }).port}/`,
      'http://169.254.169.254/',
    ]) {
      refuse(/./, status, '', Infinity, { location });
      expect(await refusal(open())).toEqual(said('misconfigured', /another address, which Mooring does not follow/));
    }
    expect(visits).toBe(0);
  });
});

describe('parts', () => {
  it('grow, and large ones go through a file', async () => {
    const mebibyte = 1024 * 1024;
    const plan = [
      { parts: 2, bytes: mebibyte },
      { parts: 1, bytes: 9 * mebibyte },
      { parts: 1, bytes: 12 * mebibyte },
    ];
    const storage = open({}, { ...steady, plan });
    for (const bytes of [2 * mebibyte, 20_000_000, 23 * mebibyte]) {
      const content = Buffer.alloc(bytes, big);
      await storage.put('grown', chunkedStream(content), liveOptions);
      expect(s3.objects.get('grown')!.content.equals(content)).toBe(true);
    }
    expect(await refusal(storage, chunkedStream(Buffer.alloc(23 * mebibyte + 1)))).toEqual(said('no_space', /at most/));
    expect([...s3.uploads.keys()]).toEqual([]);
  });
});

describe('replacement of an object', () => {
  const before = Buffer.alloc(1_000, 'before');
  const temporary = () => [...s3.objects.keys()].filter((key) => isTemporary(keyName(key)));

  it.each([1_000, 20_000_000])('keeps the old one when the data reads back differently (%s bytes)', async (bytes) => {
    const line = await startBadLine(Number(new URL(s3.endpoint).port));
    onTestFinished(() => line.stop());
    const marker = Buffer.from('0123456789abcdef');
    const storage = open({ endpoint: `http://127.0.0.1:${line.port}` });
    await storage.put('probe', chunkedStream(before), liveOptions);
    line.lieAbout = marker;
    expect(await refusal(storage, chunkedStream(Buffer.alloc(bytes, marker)))).toEqual(
      said('corrupted', /came back with different bytes/),
    );
    line.lieAbout = undefined;
    expect((await contentOf(storage, 'probe')).equals(before)).toBe(true);
    expect([...s3.objects.keys(), ...s3.uploads.keys()]).toEqual(['probe']);
    await storage.put('probe', chunkedStream(Buffer.alloc(bytes, marker)), liveOptions);
    expect(await contentOf(storage, 'probe')).toHaveLength(bytes);
    expect(temporary()).toEqual([]);
  });

  it('keeps the old one when reading back or copying is denied', async () => {
    const storage = open();
    await storage.put('probe', chunkedStream(before), liveOptions);
    refuse(/GET/, 403, xml('AccessDenied'));
    expect(await refusal(open())).toEqual(said('permission_denied', /s3:GetObject$/));
    refuse(/PUT .*probe/, 200, `<?xml version="1.0"?> ${xml('InternalError')}`);
    expect(await refusal(open())).toEqual(said('unreachable', /did not replace the object \(InternalError\)/));
    s3.interfere = () => false;
    expect((await contentOf(storage, 'probe')).equals(before)).toBe(true);
    expect([...s3.objects.keys()]).toEqual(['probe']);
  });

  it('is copied in parts when it is very large', async () => {
    const storage = open({}, { ...steady, mostCopied: 3_000_000 });
    await storage.put('probe', chunkedStream(before), liveOptions);
    await storage.put('probe', chunkedStream(big), liveOptions);
    expect((await contentOf(storage, 'probe')).equals(big)).toBe(true);
    expect(s3.asked.filter((each) => each.startsWith('PUT probe?partNumber'))).toHaveLength(7);
    expect([...s3.objects.keys(), ...s3.uploads.keys()]).toEqual(['probe']);
  });
});

describe('sweep of a bucket', () => {
  const names = ['1', '2', '3'].map((digit) => `.mooring-${digit.repeat(24)}`) as [string, string, string];
  const etag = '"x"';
  const plant = (key: string, content: string, days = 8) =>
    s3.objects.set(key, { content: Buffer.from(content), etag, at: Date.now() - days * 24 * 3_600_000 });

  it('aborts uploads that have a note, and no others', async () => {
    for (const id of ['ours', 'theirs', 'young']) s3.uploads.set(id, { key: id, parts: new Map() });
    plant(`home/${names[0]}.upload`, JSON.stringify({ key: 'ours', id: 'ours' }));
    plant(`home/${names[1]}.upload`, JSON.stringify({ key: 'young', id: 'young' }), 6);
    plant(`home/${names[2]}.upload`, 'no note of ours');
    plant(`home/${names[0]}.part`, 'half');
    plant(`home/deeper/${names[0]}.part`, 'not in the home');
    plant('home/.mooring-theirs', 'x');
    expect(await open().sweep({ ...liveOptions, home: 'home/' })).toEqual({
      removed: [`${names[0]}.part`, `${names[0]}.upload`, `${names[2]}.upload`].map((name) => `home/${name}`),
      problems: [],
    });
    expect([...s3.uploads.keys()]).toEqual(['theirs', 'young']);
    expect([...s3.objects.keys()].toSorted()).toEqual(
      [`home/${names[1]}.upload`, `home/deeper/${names[0]}.part`, 'home/.mooring-theirs'].toSorted(),
    );
  });

  it('reports problems and throws nothing', async () => {
    plant(`${names[0]}.part`, 'half');
    plant(`${names[1]}.part`, 'half');
    refuse(/DELETE/, 403, xml('AccessDenied'));
    const denied = expect.stringMatching(/may not delete objects .* s3:DeleteObject$/) as string;
    expect(await open().sweep(liveOptions)).toEqual({ removed: [], problems: [denied] });
    refuse(/GET/, 403, xml('AccessDenied'));
    const unlisted = expect.stringMatching(/s3:ListBucket$/) as string;
    expect(await open().sweep(liveOptions)).toEqual({ removed: [], problems: [unlisted] });
    s3.interfere = () => true;
    const late = { removed: [], problems: ['the time ran out'] };
    expect(await open().sweep({ signal: AbortSignal.timeout(300) })).toEqual(late);
    expect(s3.objects.size).toBe(2);
  });
});
