import { X509Certificate } from 'node:crypto';
import { createServer, getCACertificates, setDefaultCACertificates, type TlsOptions } from 'node:tls';
import { type AddressInfo, createServer as createPlainServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { selfSigned, signedBy } from '../../../test/rig/certificate.ts';
import {
  chainProblems,
  certificateCovers,
  factsOf,
  personOf,
  readCertificates,
  readPrivateKey,
} from './certificate.ts';
import { readServed } from './served.ts';

const root = { ...selfSigned('root', 30), host: 'root' };
const between = { ...signedBy(root, 'between', 20), host: 'between' };
const own = signedBy(between, '*.example.com', 10);

describe('certificate', () => {
  const read = (pem: string) => {
    const result = readCertificates(pem);
    if (!result.ok) throw new Error(result.problem);
    return result.certificates;
  };

  it('reports its facts', () => {
    const [leaf] = read(`some words\n${own.cert}\r\n${between.cert}`);
    const facts = factsOf(leaf);
    expect(facts).toMatchObject({ names: ['*.example.com'], issuer: 'rig between' });
    expect(facts.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(facts.notAfter - facts.notBefore).toBe(20 * 86_400_000);
    expect(personOf('C=US\nO=Authority\nCN=R11')).toBe('Authority R11');
    expect(personOf('O=Authority')).toBe('Authority');
    expect(personOf('')).toBe('nobody');
  });

  it('matches its names, where a star is one label', () => {
    const [leaf] = read(own.cert);
    const names = ['a.example.com', 'example.com', 'a.b.example.com', 'a.example.org'];
    expect(names.map((name) => certificateCovers(leaf, name))).toEqual([true, false, false, false]);
  });

  it('chain must be in order, up to a known root', () => {
    const problems = (chain: string, known = [root.cert]) =>
      chainProblems(read(chain), () => known.map((pem) => new X509Certificate(pem)));
    expect(problems(own.cert + between.cert)).toEqual([]);
    expect(problems(own.cert + between.cert + root.cert, [])).toEqual([]);
    expect(problems(own.cert)).toEqual([expect.stringContaining('issued by rig between')]);
    expect(problems(own.cert + root.cert)).toEqual([expect.stringContaining('not in order')]);
    expect(problems(root.cert)).toEqual([expect.stringContaining('is self-signed')]);
  });

  it('is rejected in other formats, and so are keys', () => {
    expect(readCertificates('x')).toMatchObject({ ok: false });
    expect(readCertificates(own.cert.repeat(11))).toMatchObject({ problem: expect.stringContaining('more than 10') });
    expect(readPrivateKey('MIIsecret')).toEqual({ problem: expect.not.stringContaining('secret') as string });
    expect(readPrivateKey(own.key)).toMatchObject({ type: 'private' });
  });
});

describe('served certificate', () => {
  async function serving(options: TlsOptions): Promise<number> {
    const server = createServer(options).on('tlsClientError', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return (server.address() as AddressInfo).port;
  }
  const look = (port: number, more: Partial<Parameters<typeof readServed>[0]> = {}) =>
    readServed({
      name: 'a.example.com',
      port,
      reach: 'private',
      deadlineMs: 2000,
      resolve: async () => ['127.0.0.1'],
      ...more,
    });
  const stateOf = async (options: TlsOptions) => {
    const served = await look(await serving(options));
    return served.reachable ? [served.certificate.chain, served.certificate.matches] : served;
  };

  it('is judged like a browser would', async () => {
    expect(await stateOf({ cert: own.cert, key: own.key })).toEqual(['incomplete', true]);
    expect(await stateOf({ cert: own.cert + between.cert, key: own.key })).toEqual(['untrusted', true]);
    expect(await stateOf(selfSigned('a.example.com'))).toEqual(['self_signed', true]);
    expect(await stateOf(selfSigned('b.example.com'))).toEqual(['self_signed', false]);
    expect(await stateOf(selfSigned('a.example.com', -1))).toEqual(['expired', true]);
  });

  it('is trusted if this process knows the authority, and only while valid', async () => {
    const before = getCACertificates();
    setDefaultCACertificates([...before, root.cert]);
    onTestFinished(() => setDefaultCACertificates(before));
    const later = { beginsInDays: 1 };
    const unborn = { ...signedBy(root, 'unborn', 20, later), host: 'unborn' };
    const dead = { ...signedBy(root, 'dead', -1), host: 'dead' };
    const early = signedBy(between, '*.example.com', 10, later);
    const chainOf = (leaf: { cert: string; key: string }, of: { cert: string }) => ({
      cert: leaf.cert + of.cert,
      key: leaf.key,
    });
    expect(await stateOf(chainOf(own, between))).toEqual(['trusted', true]);
    expect(await stateOf(chainOf(signedBy(between, 'other.example.org', 10), between))).toEqual(['trusted', false]);
    expect(await stateOf({ cert: own.cert, key: own.key })).toEqual(['incomplete', true]);
    expect(await stateOf(chainOf(early, between))).toEqual(['not_yet_valid', true]);
    expect(await stateOf(chainOf(signedBy(unborn, '*.example.com', 10), unborn))).toEqual(['not_yet_valid', true]);
    expect(await stateOf(chainOf(signedBy(dead, '*.example.com', 10), dead))).toEqual(['expired', true]);
  });

  it('check fails in time when there is none', async () => {
    expect(await look(1)).toMatchObject({ reachable: false, code: 'unreachable' });
    const silent = createPlainServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    expect(await look(port, { deadlineMs: 300 })).toMatchObject({ reachable: false, code: 'timeout' });
    expect(await look(port, { deadlineMs: 300, resolve: () => new Promise(() => {}) })).toMatchObject({
      code: 'timeout',
    });
    const rude = createPlainServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => rude.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void rude.close());
    expect(await look((rude.address() as AddressInfo).port)).toMatchObject({ reachable: false, code: 'handshake' });
  });

  it('check connects to allowed addresses only', async () => {
    const port = await serving(selfSigned('a.example.com'));
    expect(await look(port, { reach: 'public' })).toMatchObject({ reachable: false, code: 'refused' });
    for (const address of ['169.254.169.254', '100.100.100.200', 'fd00:ec2::254'])
      expect(await look(port, { resolve: async () => [address] })).toMatchObject({ code: 'refused' });
  });
});
