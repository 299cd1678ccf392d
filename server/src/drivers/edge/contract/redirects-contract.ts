import { describe, expect, it } from 'vitest';
import { selfSigned } from '../../../../test/rig/certificate.ts';
import { ask, portOf, project, sendRaw } from '../../../../test/rig/edge.ts';
import type { EdgeRoute } from '../edge.ts';
import { newHostName, type EdgeStage } from './stage-rig.ts';

/** Redirects to HTTPS and to other hosts. */
export function redirectsContract(stage: EdgeStage): void {
  const pointed = async (more: Partial<EdgeRoute>, host = newHostName()) => {
    const app = await stage.app((req, res) => {
      if (req.url === '/own') res.setHeader('Strict-Transport-Security', 'max-age=1');
      res.end('app');
    });
    const { routes } = project(host, `dep_${host}`, app.target);
    await stage.edge.point({ key: host, fence: 1, routes: [{ ...routes[0]!, ...more }] });
    return host;
  };
  const plainly = (host: string, path = '/', method = 'GET') => ask(portOf(stage.edge), host, path, { method });

  describe('redirects', () => {
    it('lead to HTTPS with the same path and query', async () => {
      const host = await pointed({ https: 'redirect' });
      for (const path of ['/', '/a?b=c', '//evil.example/x', '/\\evil', '/%0d%0aX-Evil:1'])
        expect(await plainly(host, path)).toMatchObject({
          status: 308,
          headers: { location: `https://${host}:${stage.port}${path}` },
        });
      expect((await plainly(`${host}.:81`, '/')).headers.location).toBe(`https://${host}:${stage.port}/`);
      expect(await plainly(host, '/', 'POST')).toMatchObject({ status: 308 });
      expect((await stage.ask(host)).text).toBe('app');
      expect((await plainly(host, '/.well-known/acme-challenge/token')).text).toBe('app');
    });

    it('do not lead to HTTPS without a valid certificate', async () => {
      const away = await pointed({ https: 'redirect' }, 'nobody.example');
      expect((await plainly(away)).text).toBe('app');
      const { cert: chain, key } = selfSigned('late.example', -1);
      await stage.edge.useCertificate({ host: 'late.example', chain, key });
      const late = await pointed({ https: 'redirect' }, 'late.example');
      expect((await plainly(late)).text).toBe('app');
    });

    it('send HSTS over HTTPS only and keep the header of the app', async () => {
      const host = await pointed({ hstsSeconds: 3600 });
      const header = 'strict-transport-security';
      expect((await stage.ask(host)).headers[header]).toBe('max-age=3600');
      expect((await stage.ask(host, '/own')).headers[header]).toBe('max-age=1');
      expect((await plainly(host)).headers[header]).toBeUndefined();
      const without = await pointed({});
      expect((await stage.ask(without)).headers[header]).toBeUndefined();
    });

    it('lead to the configured origin and nowhere else', async () => {
      const to = 'https://www.example.com:8443';
      const host = await pointed({ target: { type: 'redirect', to, status: 301 } });
      for (const path of ['/', '/a//b?c=d#', '//evil.example', '/@evil', '/..//evil'].map((each) =>
        each.replace('#', ''),
      ))
        for (const reply of [await plainly(host, path), await stage.ask(host, path)])
          expect(reply).toMatchObject({ status: 301, headers: { location: `${to}${path}` } });
      const raw = `GET /a\rX:1 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      expect(await sendRaw(portOf(stage.edge), raw)).toMatch(/^HTTP\/1.1 400/);
      const wrong = [
        'https://a.example/path',
        'https://a.example/',
        'javascript:x',
        'https://a b',
        '//a',
        'https://u@a.example',
      ];
      for (const each of [...wrong, 'https://a.example\r\nX: 1'])
        await expect(pointed({ target: { type: 'redirect', to: each, status: 301 } }), each).rejects.toThrow(
          'not an origin',
        );
    });
  });
}
