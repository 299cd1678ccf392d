import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/rig/children.ts';
import { ask, project, sendRaw } from '../../../../test/rig/edge.ts';
import type { Edge } from '../edge.ts';

const files: Record<string, string> = {
  'index.html': '<p>home',
  'about.html': '<p>about',
  'docs/index.html': '<p>docs',
  '404.html': '<p>lost',
  'assets/app-Bd3fX9kq.js': 'plain',
  'assets/app-Bd3fX9kq.js.br': 'brotli',
  'assets/app-Bd3fX9kq.js.gz': 'gzip',
  'plain.txt': '0123456789',
  'with space ü.txt': 'named',
  '.env': 'SECRET',
  '.git/config': 'SECRET',
  '.well-known/security.txt': 'contact',
  'big.bin': 'b'.repeat(300_000),
  'large.js': 'export const answer = 42;\n'.repeat(4000),
  'large.png': 'p'.repeat(5000),
  'small.js': 's'.repeat(900),
  'other.css': 'a { color: red }\n'.repeat(200),
};

/** Serving a static folder. */
export function staticContract(running: () => { edge: Edge; port: number }): void {
  describe('static folder', () => {
    const host = 'static.localhost';
    let get: (path: string, headers?: Record<string, string>, method?: string) => ReturnType<typeof ask>;

    beforeAll(async () => {
      const outside = newFolder('outside');
      writeFileSync(join(outside, 'secret.txt'), 'SECRET');
      const folder = newFolder('site');
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(join(folder, name, '..'), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      symlinkSync(outside, join(folder, 'out'));
      symlinkSync(join(outside, 'secret.txt'), join(folder, 'link.txt'));
      symlinkSync('.env', join(folder, 'hidden.txt'));
      symlinkSync('plain.txt', join(folder, 'inner.txt'));
      const { edge, port } = running();
      await edge.point(project(host, 'dep_static', { type: 'static', folder, fallback: null }));
      await edge.point(project('spa.localhost', 'dep_spa', { type: 'static', folder, fallback: 'index.html' }));
      get = (path, headers = {}, method = 'GET') => ask(port, host, path, { headers, method });
    });

    it('serves pages under clean URLs', async () => {
      for (const [path, text] of [
        ['/', 'home'],
        ['/index.html', 'home'],
        ['/about', 'about'],
        ['/about.html?x=1', 'about'],
        ['/docs/', 'docs'],
      ])
        expect((await get(path!)).text, path).toBe(`<p>${text}`);
      expect(await get('/docs?q=1')).toMatchObject({ status: 308, headers: { location: '/docs/?q=1' } });
      expect((await get('//docs')).headers.location).toBe('/docs/');
      expect(await get('/nowhere')).toMatchObject({ status: 404, text: '<p>lost' });
      expect((await get('/with%20space%20%C3%BC.txt')).text).toBe('named');
      expect((await get('/inner.txt')).text).toBe('0123456789');
      expect((await get('/.well-known/security.txt')).text).toBe('contact');
    });

    it('serves the fallback of a single-page app, but not for a missing asset', async () => {
      const { port } = running();
      expect(await ask(port, 'spa.localhost', '/users/jane.doe')).toMatchObject({ status: 200, text: '<p>home' });
      expect((await ask(port, 'spa.localhost', '/assets/gone.js')).status).toBe(404);
    });

    it('sets Content-Type, Content-Length and Cache-Control', async () => {
      const page = await get('/');
      expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
      const asset = await get('/assets/app-Bd3fX9kq.js');
      expect(asset.headers['cache-control']).toContain('immutable');
      expect(asset.headers['content-type']).toContain('javascript');
      expect((await get('/plain.txt')).headers['cache-control']).not.toContain('immutable');
      const head = await get('/big.bin', {}, 'HEAD');
      expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-length': '300000' } });
      expect((await get('/big.bin')).text).toHaveLength(300_000);
      expect((await get('/', {}, 'POST')).status).toBe(405);
    });

    it('responds with 304 when the client has the current version', async () => {
      const { headers } = await get('/plain.txt');
      expect((await get('/plain.txt', { 'if-none-match': headers.etag! })).status).toBe(304);
      expect((await get('/plain.txt', { 'if-none-match': `"x", W/${headers.etag}` })).status).toBe(304);
      expect((await get('/plain.txt', { 'if-none-match': '"x"' })).status).toBe(200);
      expect((await get('/plain.txt', { 'if-modified-since': headers['last-modified']! })).status).toBe(304);
      expect((await get('/plain.txt', { 'if-modified-since': new Date(0).toUTCString() })).status).toBe(200);
    });

    it('serves range requests', async () => {
      const ranges: [string, number, string][] = [
        ['bytes=0-3', 206, '0123'],
        ['bytes=7-', 206, '789'],
        ['bytes=-2', 206, '89'],
        ['bytes=5-999', 206, '56789'],
        ['bytes=10-', 416, ''],
        ['bytes=-0', 416, ''],
        ['bytes=3-1', 200, '0123456789'],
        ['bytes=0-1,4-5', 200, '0123456789'],
        ['chars=0-1', 200, '0123456789'],
      ];
      for (const [range, status, text] of ranges)
        expect(await get('/plain.txt', { range }), range).toMatchObject({ status, text });
      expect((await get('/plain.txt', { range: 'bytes=2-3' })).headers['content-range']).toBe('bytes 2-3/10');
      expect((await get('/plain.txt', { range: 'bytes=99-' })).headers['content-range']).toBe('bytes */10');
      expect((await get('/plain.txt', { range: 'bytes=0-1', 'if-range': '"old"' })).status).toBe(200);
    });

    it('serves precompressed files when the client accepts them', async () => {
      const asset = (encoding: string) => get('/assets/app-Bd3fX9kq.js', { 'accept-encoding': encoding });
      expect(await asset('gzip, br')).toMatchObject({ text: 'brotli', headers: { 'content-encoding': 'br' } });
      expect(await asset('gzip;q=0.5')).toMatchObject({ text: 'gzip', headers: { 'content-encoding': 'gzip' } });
      expect((await asset('br;q=0, identity')).text).toBe('plain');
      expect((await asset('identity')).headers.vary).toBe('Accept-Encoding');
    });

    it('compresses text once, with the encoding that the client prefers', async () => {
      const plain = files['large.js']!;
      const large = (encoding: string, more = {}, method = 'GET') =>
        get('/large.js', { 'accept-encoding': encoding, ...more }, method);
      const br = await large('gzip, deflate, br');
      expect(br.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
      expect(br.headers['content-type']).toBe('text/javascript; charset=utf-8');
      expect(Number(br.headers['content-length'])).toBe(br.bytes.length);
      expect(br.bytes.length).toBeLessThan(plain.length / 50);
      expect(brotliDecompressSync(br.bytes).toString()).toBe(plain);
      const gzip = await large('br;q=0.1, gzip;q=0.8');
      expect(gzip.headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(gzip.bytes).toString()).toBe(plain);
      const preferences: [string, string | undefined][] = [
        ['*', 'br'],
        ['br;q=0, *', 'gzip'],
        ['BR', 'br'],
        ['gzip;q=0.5, identity', undefined],
        ['identity;q=0.5, gzip;q=0.5', 'gzip'],
        ['br;q=0', undefined],
        ['br;q=x', undefined],
        ['deflate, zstd', undefined],
        ['', undefined],
      ];
      for (const [encoding, expected] of preferences)
        expect((await large(encoding)).headers['content-encoding'], encoding).toBe(expected);
      const head = await large('br', {}, 'HEAD');
      expect(head).toMatchObject({ text: '', headers: { 'content-encoding': 'br', etag: br.headers.etag } });
      expect(head.headers['content-length']).toBe(br.headers['content-length']);
      for (const path of ['/large.png', '/small.js', '/big.bin'])
        expect((await get(path, { 'accept-encoding': 'br, gzip' })).headers['content-encoding'], path).toBeUndefined();
    });

    it('gives each encoding its own ETag and serves ranges of the plain file', async () => {
      const plain = await get('/large.js');
      const tags = await Promise.all(
        ['br', 'gzip'].map(async (each) => (await get('/large.js', { 'accept-encoding': each })).headers.etag!),
      );
      expect(new Set([plain.headers.etag, ...tags]).size).toBe(3);
      const known = (encoding: string, tag: string) =>
        get('/large.js', { 'accept-encoding': encoding, 'if-none-match': tag });
      expect(await known('br', tags[0]!)).toMatchObject({ status: 304, text: '', headers: { etag: tags[0] } });
      expect((await known('br', plain.headers.etag!)).status).toBe(200);
      expect((await known('identity', tags[0]!)).status).toBe(200);
      const range = { 'accept-encoding': 'br', range: 'bytes=0-5' };
      const part = await get('/large.js', range);
      expect(part).toMatchObject({ status: 206, text: 'export', headers: { etag: plain.headers.etag } });
      expect(part.headers['content-encoding']).toBeUndefined();
      expect((await get('/large.js', { ...range, 'if-range': tags[0]! })).status).toBe(200);
      const first = await Promise.all(Array.from({ length: 20 }, () => get('/other.css', { 'accept-encoding': 'br' })));
      for (const { bytes } of first) expect(brotliDecompressSync(bytes).toString()).toBe(files['other.css']);
    });

    it('serves nothing outside the folder and no hidden files', async () => {
      const attempts = [
        '/../outside/secret.txt',
        '/%2e%2e/%2e%2e/etc/passwd',
        '/..%2f..%2fetc/passwd',
        '/assets/..%5c..%5cetc',
        '/assets/../.env',
        '/.env',
        '/%2eenv',
        '/.git/config',
        '/.well-known/../.env',
        '/out/secret.txt',
        '/link.txt',
        '/hidden.txt',
        '/plain.txt%00.html',
        '/plain.txt/',
        '/plain.txt/x',
        '/%ff',
        '/%',
        `/${'a'.repeat(5000)}`,
        '//etc/passwd',
      ];
      const { port } = running();
      for (const path of attempts) {
        const answer = await sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
        expect(answer, path).toMatch(/^HTTP\/1.1 (400|404|308)/);
        expect(answer, path).not.toMatch(/SECRET|root:/);
      }
    });
  });
}
