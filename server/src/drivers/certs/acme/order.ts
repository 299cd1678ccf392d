import type { KeyObject } from 'node:crypto';
import type { IssueRequest } from '../authority.ts';
import { CertificateError } from '../errors.ts';
import { certificateRequest } from './csr.ts';
import { pollAuthority } from './polling.ts';
import { acmeErrorOf, problemOf } from './problem.ts';
import type { AcmeSession } from './session.ts';
import { acmeUrl, authorizationIn, badAnswer, type AcmeOrder, orderIn } from './shapes.ts';

type Wanted = Pick<IssueRequest, 'name' | 'prove'> & { privateKey: KeyObject };

/** Orders a certificate and returns its chain. */
export async function orderCertificate(session: AcmeSession, { name, prove, privateKey }: Wanted): Promise<string> {
  const { newOrder } = await session.directory();
  const answer = await session.post(newOrder, { identifiers: [{ type: 'dns', value: name }] });
  const url = acmeUrl(answer.headers.location, 'the address of the order');
  const begun = orderIn(answer.body);
  for (const each of begun.authorizations) await authorize(session, each, name, prove);
  const ready = await follow(session, url, ({ status }) => status !== 'pending');
  if (ready.status === 'ready') {
    const csr = certificateRequest([name], privateKey).toString('base64url');
    await session.post(ready.finalize, { csr });
  }
  const done = await follow(session, url, ({ status }) => status === 'valid');
  if (!done.certificate) throw badAnswer('a finished order without a certificate');
  return (await session.read(done.certificate)).body;
}

/** Polls the order until `isDone`. */
function follow(session: AcmeSession, url: URL, isDone: (order: AcmeOrder) => boolean): Promise<AcmeOrder> {
  return pollAuthority({
    read: () => session.read(url),
    parse: orderIn,
    signal: session.signal,
    isDone(order) {
      if (order.status === 'invalid') throw acmeErrorOf(problemOf(order.error));
      return isDone(order);
    },
  });
}

/** Validates the domain, unless an earlier order has done so. */
async function authorize(session: AcmeSession, url: URL, name: string, prove: IssueRequest['prove']): Promise<void> {
  const { status, http } = authorizationIn((await session.read(url)).body);
  if (status === 'valid') return;
  if (status !== 'pending') throw acmeErrorOf(problemOf(http?.error));
  if (!http)
    throw new CertificateError(
      'refused',
      `the certificate authority does not offer the HTTP-01 challenge for ${name}`,
      'Upload a certificate for it.',
    );
  await inTime(prove({ name, token: http.token, answer: session.key.answerTo(http.token) }), session.signal);
  await session.post(http.url, {});
  await pollAuthority({
    read: () => session.read(url),
    parse: authorizationIn,
    signal: session.signal,
    isDone({ status: now, http: judged }) {
      if (now === 'pending') return false;
      if (now !== 'valid') throw acmeErrorOf(problemOf(judged?.error));
      return true;
    },
  });
}

/** Rejects when the signal aborts, whatever it waits for. */
function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason as Error);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}
