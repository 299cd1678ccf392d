import { connect, type TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { selfSigned } from '../../../../test/rig/certificate.ts';
import { ask, project } from '../../../../test/rig/edge.ts';
import { newHostName, type EdgeStage } from './stage-rig.ts';

const given = (host: string, days?: number) => {
  const { cert, key } = selfSigned(host, days);
  return { host, chain: cert, key };
};

/** Certificates: which one is presented, and which are rejected. */
export function certificatesContract(stage: EdgeStage): void {
  const meet = (servername: string, options: object = {}) =>
    new Promise<TLSSocket>((resolve, reject) => {
      const where = { port: stage.port, host: '127.0.0.1', servername, rejectUnauthorized: false };
      const socket = connect({ ...where, ...options }, () => resolve(socket.on('error', () => socket.destroy())));
      socket.once('error', reject);
    });
  const shown = async (servername: string): Promise<string> => {
    const socket = await meet(servername);
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256.replaceAll(':', '').toLowerCase();
  };
  const listed = async (host: string) => (await stage.edge.certificates()).find((each) => each.host === host);

  describe('certificates', () => {
    it('are served per name, replaced immediately, and fall back to the wildcard', async () => {
      const [one, two, other] = [newHostName(), newHostName(), newHostName()];
      await Promise.all([one, two].map((host) => stage.edge.useCertificate(given(host))));
      const before = { one: await shown(one), two: await shown(two) };
      expect((await listed(one))!.fingerprint).toBe(before.one);
      expect(new Set([before.one, before.two, await shown(other)]).size).toBe(3);
      expect(await shown(one.toUpperCase())).toBe(before.one);
      await stage.edge.useCertificate(given(one));
      expect(await shown(one)).toBe((await listed(one))!.fingerprint);
      expect(await shown(one)).not.toBe(before.one);
      expect(await shown(two)).toBe(before.two);
      await stage.edge.removeCertificate(one);
      await stage.edge.removeCertificate(one);
      expect(await shown(one)).toBe(await shown(other));
      expect(await listed(one)).toBeUndefined();
    });

    it('are missing for unknown names, and old TLS versions and ciphers are rejected', async () => {
      await expect(meet('a.b.localhost')).rejects.toThrow(/unrecognized name/);
      await expect(meet('localhost')).rejects.toThrow(/unrecognized name/);
      await expect(meet('example.com')).rejects.toThrow(/unrecognized name/);
      await expect(meet('')).rejects.toThrow(/alert/);
      await expect(meet(newHostName(), { maxVersion: 'TLSv1.1', minVersion: 'TLSv1.1' })).rejects.toThrow();
      await expect(meet(newHostName(), { maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA' })).rejects.toThrow(
        /handshake failure/,
      );
      for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
        const socket = await meet(newHostName(), { maxVersion: version, minVersion: version });
        expect(socket.getProtocol()).toBe(version);
        socket.destroy();
      }
    });

    it('are replaced without breaking open connections or session resumption', async () => {
      const { host } = await stage.deployed((_req, res) => res.end('mine'));
      await stage.edge.useCertificate(given(host));
      const socket = await meet(host, { maxVersion: 'TLSv1.2' });
      const session = socket.getSession()!;
      await stage.edge.useCertificate(given(host));
      const answer = new Promise<string>((resolve) => socket.once('data', (data: Buffer) => resolve(data.toString())));
      socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect(await answer).toMatch(/^HTTP\/1.1 200/);
      socket.destroy();
      const again = await meet(host, { maxVersion: 'TLSv1.2', session });
      expect(again.isSessionReused()).toBe(true);
      again.destroy();
    });

    it('are rejected if the key, chain or name does not match', async () => {
      const host = newHostName();
      const [good, other] = [given(host), given(newHostName())];
      const wrong = [
        { ...good, key: other.key },
        { ...good, chain: other.chain, key: other.key },
        { ...good, chain: 'nothing' },
        { ...good, key: 'nothing' },
        { ...good, chain: good.chain.replace(/[A-Z]/, '!') },
        { ...good, host: `*.${host}` },
        { ...good, host: '../evil' },
        { ...good, host: host.toUpperCase() },
        { ...good, host: '' },
      ];
      for (const each of wrong)
        await expect(stage.edge.useCertificate(each)).rejects.toMatchObject({ code: 'invalid' });
      expect(await listed(host)).toBeUndefined();
      await stage.edge.useCertificate({ ...good, chain: good.chain + other.chain });
      expect(await shown(host)).toBe((await listed(host))!.fingerprint);
    });

    it('serve only the name of the handshake and other names of the same project', async () => {
      const { host: mine, app } = await stage.deployed((_req, res) => res.end('mine'));
      const { host: theirs } = await stage.deployed((_req, res) => res.end('theirs'));
      const [first, second] = [newHostName(), newHostName()];
      const { routes } = project(first, 'dep_both', app.target);
      await stage.edge.point({ key: first, fence: 1, routes: [...routes, { ...routes[0]!, host: second }] });
      const at = (host: string, secure: string) => ask(stage.port, host, '/', { secure });
      expect((await at(theirs, mine)).status).toBe(421);
      expect((await at('nobody.localhost', mine)).status).toBe(421);
      expect((await at('127.0.0.1', mine)).status).toBe(421);
      for (const host of [mine, mine.toUpperCase(), `${mine}.`, `${mine}:1`])
        expect((await at(host, mine)).text).toBe('mine');
      expect((await at(second, first)).text).toBe('mine');
    });
  });
}
