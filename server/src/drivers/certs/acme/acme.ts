import { generateKeyPair } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { CertificateAuthority, IssueRequest, IssuedCertificate } from '../authority.ts';
import { readCertificates } from '../certificate.ts';
import { CertificateError, isCertificateError } from '../errors.ts';
import { type AccountTerms, openAccount, updateAccount } from './account.ts';
import { AccountKey } from './jws.ts';
import { orderCertificate } from './order.ts';
import { AcmeSession } from './session.ts';
import { badAnswer } from './shapes.ts';

const newKeyPair = promisify(generateKeyPair);

type Options = AccountTerms & {
  directory: string;
  /** CA file of the authority itself, instead of the usual roots. */
  caFile: string | undefined;
};

/** A certificate authority with ACME (RFC 8555). Domains are validated over HTTP-01. */
export function createAcme(options: Options): CertificateAuthority {
  return {
    directory: options.directory,
    contact: options.email,
    async tellContact({ privateKey, url }, withinMs) {
      const session = await sessionOf(options, privateKey, AbortSignal.timeout(withinMs));
      await updateAccount(session, url, options).finally(() => session.close());
    },
    async issue(wanted) {
      const deadline = AbortSignal.timeout(wanted.withinMs);
      const signal = AbortSignal.any([wanted.signal, deadline]);
      try {
        return await issue(options, { ...wanted, signal });
      } catch (error) {
        wanted.signal.throwIfAborted();
        throw deadline.aborted ? tooLate(wanted.withinMs) : error;
      }
    },
  };
}

async function issue(options: Options, wanted: IssueRequest): Promise<IssuedCertificate> {
  const { name, account, signal } = wanted;
  const session = await sessionOf(options, account.privateKey, signal);
  try {
    const { privateKey } = await newKeyPair('ec', { namedCurve: 'P-256' });
    const order = () => orderCertificate(session, { name, prove: (proof) => wanted.prove(proof), privateKey });
    session.accountUrl = account.url;
    const chain = await withAccount(session, options, wanted, order);
    const read = readCertificates(chain);
    if (!read.ok) throw badAnswer(read.problem);
    const [own] = read.certificates;
    if (!own.checkPrivateKey(privateKey) || !own.checkHost(name)) throw badAnswer('a certificate for another key');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    return { chain: read.certificates.map(String).join(''), privateKey: pem };
  } finally {
    session.close();
  }
}

const sessionOf = async ({ directory, caFile }: Options, privateKey: string, signal: AbortSignal) =>
  new AcmeSession({ directory, ca: await readCa(caFile), key: new AccountKey(privateKey), signal });

/** A reset authority does not know our account: the same key gets another one. */
async function withAccount<T>(session: AcmeSession, terms: AccountTerms, wanted: IssueRequest, work: () => Promise<T>) {
  const open = async () => wanted.onAccount(await openAccount(session, terms));
  if (session.accountUrl === null) {
    await open();
    return work();
  }
  try {
    return await work();
  } catch (error) {
    if (!isCertificateError(error, 'account')) throw error;
    await open();
    return work();
  }
}

async function readCa(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CertificateError(
      'unreachable',
      `the certificate in MOORING_ACME_CA_FILE cannot be read (${error.code ?? error.message})`,
      'Set it to a file that Mooring can read.',
    );
  });
}

const tooLate = (ms: number) =>
  new CertificateError(
    'timeout',
    `the certificate authority did not issue the certificate within ${ms / 1000} s`,
    'Mooring retries automatically. Raise MOORING_CERTIFICATE_TIMEOUT to give it more time.',
  );
