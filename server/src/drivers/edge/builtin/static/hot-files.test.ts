import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../../../../../test/rig/children.ts';
import { parseRequestTarget } from '../request-target.ts';
import { CompressedFiles } from './compressed-files.ts';
import { HotFiles } from './hot-files.ts';
import { serveStatic } from './serve.ts';

describe('hot files', () => {
  const [folder, outside] = [newFolder('site'), newFolder('outside')];
  const compressed = new CompressedFiles(newFolder('compressed'), () => {});
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const server = createServer((request, response) => {
    const asked = parseRequestTarget('a', request.url!)!;
    void serveStatic(request, response, { folder, fallback: null }, '/', asked, compressed);
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => server.close());

  const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers, method });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  /** So that the next request is answered from memory. */
  const warm = async (path: string) => expect((await get(path)).status).toBe(200);

  it('are sent in full, as 304, as HEAD and in parts, like others', async () => {
    write('a.txt', '0123456789');
    const cold = await get('/a.txt');
    const hot = await get('/a.txt');
    const [first, second] = [cold, hot].map(({ headers }) => [...headers].filter(([name]) => name !== 'date'));
    expect([hot.text, second]).toEqual(['0123456789', first]);
    expect(await get('/a.txt', {}, 'HEAD')).toMatchObject({ status: 200, text: '' });
    expect((await get('/a.txt', { 'if-none-match': hot.headers.get('etag')! })).status).toBe(304);
    expect(await get('/a.txt', { range: 'bytes=2-4' })).toMatchObject({ status: 206, text: '234' });
  });

  it('are read again when they change, and missing when they are removed', async () => {
    for (const text of ['one', 'two', 'three']) {
      write('b.txt', text);
      // Two changes within one tick of the kernel's clock have the same ctime.
      await sleep(20);
      for (let i = 0; i < 3; i++) expect((await get('/b.txt')).text).toBe(text);
    }
    rmSync(join(folder, 'b.txt'));
    expect((await get('/b.txt')).status).toBe(404);
  });

  it('are not sent when a folder on their way becomes a link to another place', async () => {
    mkdirSync(join(folder, 'docs'));
    write('docs/c.txt', 'fine');
    writeFileSync(join(outside, 'c.txt'), 'SECR');
    await warm('/docs/c.txt');
    renameSync(join(folder, 'docs'), join(folder, 'before'));
    symlinkSync(outside, join(folder, 'docs'));
    expect((await get('/docs/c.txt')).status).toBe(404);
  });

  it('have one entry for each encoding', async () => {
    write('d.js', 'export const answer = 42;\n'.repeat(200));
    const lengths = new Set<number>();
    for (let i = 0; i < 2; i++)
      for (const encoding of ['br', 'gzip', 'identity']) {
        const { headers, text } = await get('/d.js', { 'accept-encoding': encoding });
        expect(headers.get('content-encoding') ?? 'identity').toBe(encoding);
        expect(text).toContain('answer');
        lengths.add(Number(headers.get('content-length')));
      }
    expect(lengths.size).toBe(3);
  });

  it('take a bounded amount of memory, whatever their names', () => {
    const hot = new HotFiles();
    const path = join(folder, 'a.txt');
    const file = {
      headers: {},
      etag: '',
      lastModified: '',
      body: Buffer.from('x'),
      sources: [{ path, stat: statSync(path) }],
    };
    hot.keep('first', file);
    for (let i = 0; i < 1000; i++) hot.keep(`${'/'.repeat(5000)}${i}`, file);
    expect([hot.get('first'), hot.get(`${'/'.repeat(5000)}999`)?.etag]).toEqual([null, '']);
  });
});
