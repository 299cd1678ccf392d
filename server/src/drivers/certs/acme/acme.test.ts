import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { has } from '../../../../test/rig/parts.ts';
import { type Pebble, startPebble } from '../../../../test/rig/pebble.ts';
import type { IssueRequest, ChallengeProof } from '../authority.ts';
import { certificateCovers, factsOf, readCertificates } from '../certificate.ts';
import { CertificateError } from '../errors.ts';
import { createAcme } from './acme.ts';
import { AccountKey } from './jws.ts';
import { AcmeSession } from './session.ts';

const newAccountKey = (): string =>
  generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;

const key = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W';

describe.runIf(has('pebble'))('ACME authority', () => {
  const proofs = new Map<string, ChallengeProof>();
  const asked: string[] = [];
  const web = createServer((req, res) => {
    asked.push(req.url!);
    const proof = proofs.get(req.url!.split('/').at(-1)!);
    if (proof && req.headers.host?.startsWith(proof.name)) res.end(proof.answer);
    else res.writeHead(404).end('nothing here');
  });
  let httpPort = 0;
  let pebble: Pebble;
  beforeAll(async () => {
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    httpPort = (web.address() as AddressInfo).port;
    pebble = await startPebble({ httpPort, nonceReject: 50, bindings: { 'kid-1': key }, blocked: ['blocked.example'] });
  });
  afterAll(async () => {
    web.close();
    await pebble.stop();
  });

  const acmeOf = (at: Pebble, more: object = {}) =>
    createAcme({
      directory: at.directory,
      caFile: at.caFile,
      email: 'ops@example.com',
      binding: { keyId: 'kid-1', key },
      ...more,
    });
  const wanted = (name: string, more: Partial<IssueRequest> = {}): IssueRequest => ({
    name,
    account: { privateKey: newAccountKey(), url: null },
    onAccount: async () => {},
    prove: async (proof) => void proofs.set(proof.token, proof),
    signal: new AbortController().signal,
    withinMs: 20_000,
    ...more,
  });

  it('issues a certificate, even if it rejects half of the nonces', async () => {
    const urls: string[] = [];
    const { chain, privateKey } = await acmeOf(pebble).issue(
      wanted('shop.example.com', { onAccount: async (url) => void urls.push(url) }),
    );
    const read = readCertificates(chain);
    if (!read.ok) throw new Error(read.problem);
    const [own, ...others] = read.certificates;
    expect(factsOf(own).names).toEqual(['shop.example.com']);
    expect(certificateCovers(own, 'shop.example.com')).toBe(true);
    expect(others).toHaveLength(1);
    expect(own.verify(others[0]!.publicKey)).toBe(true);
    expect(others[0]!.verify(new X509Certificate(await pebble.root()).publicKey)).toBe(true);
    expect(privateKey).toContain('BEGIN PRIVATE KEY');
    expect(urls).toHaveLength(1);
    expect(urls[0]).toMatch(/^https:\/\/127\.0\.0\.1:\d+\//);
  });

  it('reuses its account, and opens another one where it was deleted', async () => {
    const acme = acmeOf(pebble);
    const privateKey = newAccountKey();
    const urls: string[] = [];
    const onAccount = async (url: string) => void urls.push(url);
    await acme.issue(wanted('a.example.com', { account: { privateKey, url: null }, onAccount }));
    await acme.issue(wanted('b.example.com', { account: { privateKey, url: urls[0]! }, onAccount }));
    expect(urls).toHaveLength(1);
    await acme.issue(wanted('c.example.com', { account: { privateKey, url: `${urls[0]}999` }, onAccount }));
    expect(urls).toEqual([urls[0], urls[0]]);
  });

  it('updates the contact of the same account', async () => {
    const privateKey = newAccountKey();
    const urls: string[] = [];
    const account = { privateKey, url: null };
    await acmeOf(pebble).issue(wanted('d.example.com', { account, onAccount: async (url) => void urls.push(url) }));
    const known = { privateKey, url: urls[0]! };
    const contacts = async () => {
      const ca = readFileSync(pebble.caFile, 'utf8');
      const { signal } = new AbortController();
      const session = new AcmeSession({ directory: pebble.directory, ca, key: new AccountKey(privateKey), signal });
      session.accountUrl = known.url;
      const { body } = await session.read(new URL(known.url)).finally(() => session.close());
      return (JSON.parse(body) as { contact?: string[] }).contact ?? [];
    };
    expect(await contacts()).toEqual(['mailto:ops@example.com']);
    const moved = acmeOf(pebble, { email: 'new@example.org' });
    await moved.tellContact(known, 10_000);
    expect(await contacts()).toEqual(['mailto:new@example.org']);
    await moved.issue(wanted('d.example.com', { account: known }));
    await acmeOf(pebble, { email: undefined }).tellContact(known, 10_000);
    expect(await contacts()).toEqual([]);
    const stranger = { privateKey: newAccountKey(), url: known.url };
    await expect(moved.tellContact(stranger, 10_000)).rejects.toBeInstanceOf(CertificateError);
    expect(await contacts()).toEqual([]);
  });

  const failing = async (name: string, more: Partial<IssueRequest> = {}, at = acmeOf(pebble)) =>
    at.issue(wanted(name, more)).then(
      () => {
        throw new Error('issued');
      },
      (error: Error) => error,
    );

  it('explains what is wrong', async () => {
    expect(await failing('wrong.example.com', { prove: async () => {} })).toMatchObject({ code: 'unauthorized' });
    expect(await failing('blocked.example')).toMatchObject({ code: 'rejected_identifier' });
    await pebble.lead('nowhere.example.com', []);
    // Pebble has no error type of its own for missing DNS records.
    expect((await failing('nowhere.example.com')).message).toMatch(/nowhere\.example\.com/);
    await pebble.lead('closed.example.com', ['127.0.0.9']);
    const closed = await failing('closed.example.com');
    expect(closed).toMatchObject({ code: 'connection' });
    expect(closed.message).toMatch(/cannot reach this machine/);
    const away = createAcme({
      directory: 'https://127.0.0.1:1/dir',
      caFile: undefined,
      email: undefined,
      binding: undefined,
    });
    expect(await failing('x.example.com', {}, away)).toMatchObject({ code: 'unreachable' });
    const stranger = await failing('x.example.com', {}, acmeOf(pebble, { caFile: undefined }));
    expect(stranger).toMatchObject({ code: 'unreachable' });
    expect(stranger.message).toMatch(/SELF_SIGNED|VERIFY/);
  });

  it('respects the timeout and an abort', async () => {
    const hanging = () => new Promise<void>(() => {});
    const late = await failing('late.example.com', { prove: hanging, withinMs: 600 });
    expect(late).toMatchObject({ code: 'timeout' });
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), 300);
    const stopped = failing('late.example.com', { prove: hanging, signal: controller.signal });
    expect((await stopped).message).toBe('enough');
  });

  it('requires external account binding, where the authority demands it', async () => {
    expect(await failing('x.example.com', {}, acmeOf(pebble, { binding: undefined }))).toMatchObject({
      code: 'account',
    });
    const wrong = { keyId: 'kid-1', key: key.toLowerCase() };
    const refused = await failing('x.example.com', {}, acmeOf(pebble, { binding: wrong }));
    expect(refused.message).not.toContain(wrong.key);
  });
});
