import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../test/rig/children.ts';
import { findWebPages, notFoundOrPage } from './web-pages.ts';

function serve() {
  const folder = newFolder('pages');
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<html>dashboard</html>');
  writeFileSync(join(folder, 'assets/main-1.js'), 'let a = 1');
  writeFileSync(join(folder, 'assets/main-1.js.gz'), gzipSync('let a = 1'));
  writeFileSync(join(folder, 'notes.env'), 'SECRET=1');
  const app = Fastify();
  const pages = findWebPages(folder);
  app.setNotFoundHandler((request, reply) => notFoundOrPage(pages, request, reply));
  return app;
}

describe('pages of the dashboard', () => {
  const app = serve();

  it('are served at every path outside the API', async () => {
    for (const url of ['/', '/tokens', '/members?x=1', '/projects/a.b']) {
      const response = await app.inject({ url, headers: { accept: 'text/html,*/*' } });
      expect(response.body).toContain('dashboard');
      expect(response.headers['cache-control']).toBe('no-cache');
    }
    expect((await app.inject({ url: '/api/x' })).statusCode).toBe(404);
    expect((await app.inject({ method: 'POST', url: '/' })).statusCode).toBe(404);
  });

  it('are compressed, and immutable when their name has a hash', async () => {
    const response = await app.inject({ url: '/assets/main-1.js', headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers).toMatchObject({
      'content-encoding': 'gzip',
      'cache-control': expect.stringContaining('immutable'),
    });
    const plain = await app.inject({ url: '/assets/main-1.js' });
    expect([plain.headers['content-encoding'], plain.body]).toEqual([undefined, 'let a = 1']);
    const etag = String(response.headers['etag']);
    expect((await app.inject({ url: '/assets/main-1.js', headers: { 'if-none-match': etag } })).statusCode).toBe(304);
  });

  it.each([
    '/assets/none.js',
    '/notes.env',
    '/../package.json',
    '/%2e%2e/package.json',
    '/assets/..%2f..%2fetc/passwd.html',
  ])('do not include %s', async (url) => {
    expect((await app.inject({ url })).statusCode).toBe(404);
  });
});
