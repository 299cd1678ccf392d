import { describe, expect, it } from 'vitest';
import { type TestApp } from '../../../../test/rig/edge.ts';
import { newHostName, type EdgeStage } from './stage-rig.ts';

/** Routing by host and path, and requests that are rejected. */
export function namesContract(stage: EdgeStage): void {
  describe('routing', () => {
    it('matches a host regardless of case, port and trailing dot, and no other host', async () => {
      const { host } = await stage.deployed((_req, res) => res.end('mine'));
      for (const written of [host, host.toUpperCase(), `${host}:${stage.port}`, `${host}.`, `${host}.:1`])
        expect(await stage.ask(written)).toMatchObject({ status: 200, text: 'mine' });
      for (const other of [`x.${host}`, 'app', 'localhost', `${host}.evil`, '127.0.0.1'])
        expect((await stage.ask(other)).status).toBe(404);
    });

    it('picks the longest matching path by whole segments', async () => {
      const host = newHostName();
      const [site, api, deep] = await Promise.all(
        ['site', 'api', 'deep'].map((text) => stage.app((req, res) => res.end(`${text} ${req.url}`))),
      );
      const route = (path: string, { target }: TestApp) => ({ host, path, deploymentId: `dep_${path}`, target });
      const routes = [route('/', site!), route('/api', api!), route('/api/deep', deep!)];
      await stage.edge.point({ key: host, fence: 1, routes });
      const expected = { '/': 'site', '/apix': 'site', '/api': 'api', '/api?q': 'api', '/api/deep/x': 'deep' };
      for (const [path, text] of Object.entries(expected))
        expect((await stage.ask(host, path)).text).toBe(`${text} ${path}`);
    });

    it('uses the host of an absolute target and rejects two hosts or none', async () => {
      const { host, app: mine } = await stage.deployed((req, res) => res.end(`${req.headers.host} ${req.url}`));
      const other = await stage.deployed((_req, res) => res.end('other'));
      const absolute = `GET http://${host}/p?q HTTP/1.1\r\nHost: ${other.host}\r\nConnection: close\r\n\r\n`;
      expect(await stage.sendRaw(absolute)).toMatch(new RegExp(`^HTTP/1.1 200[^]*${host} /p\\?q`));
      const before = mine.seen.length;
      for (const hosts of [`Host: ${host}\r\nHost: ${other.host}\r\n`, '', 'Host: a b\r\n', 'Host: a/b\r\n'])
        expect(await stage.sendRaw(`GET / HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1.1 400/);
      expect(mine.seen.length).toBe(before);
      expect(other.app.seen).toEqual([]);
    });

    it('rejects ambiguous requests', async () => {
      const { host, app: mine } = await stage.deployed((_req, res) => res.end('ok'));
      const ambiguous = [
        'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
        'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
        'Content-Length: 1\r\nContent-Length: 2\r\n\r\nab',
        'Content-Length: +1\r\n\r\na',
        'Content-Length : 1\r\n\r\na',
        'Content-Length: 1\r\nX: a\r\n folded\r\n\r\na',
      ];
      for (const rest of ambiguous)
        expect(await stage.sendRaw(`POST / HTTP/1.1\r\nHost: ${host}\r\n${rest}`), rest).toMatch(/^HTTP\/1.1 4\d\d/);
      expect(mine.seen).toEqual([]);
      expect(await stage.sendRaw(`GET / HTTP/1.1\r\nHost: ${host}\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`)).toMatch(
        /^HTTP\/1.1 431/,
      );
    });
  });
}
