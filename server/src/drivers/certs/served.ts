import type { X509Certificate } from 'node:crypto';
import { connect as secure, type TLSSocket } from 'node:tls';
import { connectOutbound, OutboundError, type OutboundCode, type OutboundReach } from '../../lib/outbound.ts';
import { type CertificateFacts, certificateCovers, factsOf, isSelfSigned } from './certificate.ts';

/** Whether clients trust the certificate. */
export type ChainState = 'trusted' | 'self_signed' | 'untrusted' | 'incomplete' | 'expired' | 'not_yet_valid';

/** The certificate that clients see at a domain. */
export interface ServedCertificate extends CertificateFacts {
  /** Where it was served. */
  address: string;
  /** `TLSv1.3` */
  protocol: string;
  /** Whether it covers the domain. */
  matches: boolean;
  chain: ChainState;
}

export type Served =
  | { reachable: true; certificate: ServedCertificate }
  | { reachable: false; code: OutboundCode | 'handshake'; reason: string };

type Asked = {
  name: string;
  port: number;
  reach: OutboundReach;
  deadlineMs: number;
  /** Resolves the domain. The checked addresses are the ones connected to. */
  resolve: (name: string) => Promise<string[]>;
};

/** Reads the certificate served at a domain, without sending a request. */
export async function readServed({ name, port, reach, deadlineMs, resolve }: Asked): Promise<Served> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const late = new Promise<never>((_, reject) => {
    deadline.addEventListener('abort', () => reject(tooLate(name, port, deadlineMs)), { once: true });
  });
  // Awaited only until there is a result; a later rejection must not be unhandled.
  late.catch(() => {});
  try {
    const addresses = await Promise.race([resolve(name), late]);
    return await Promise.race([firstOf(addresses, { name, port, reach, deadlineMs, deadline }), late]);
  } catch (error) {
    if (error instanceof OutboundError) return { reachable: false, code: error.code, reason: error.message };
    if (error instanceof HandshakeError) return { reachable: false, code: 'handshake', reason: error.message };
    throw error;
  }
}

class HandshakeError extends Error {
  override name = 'HandshakeError';
}

const tooLate = (name: string, port: number, ms: number) =>
  new OutboundError('timeout', `${name}:${port} did not answer within ${ms / 1000} s`);

type Dial = Omit<Asked, 'resolve'> & { deadline: AbortSignal };

async function firstOf(addresses: string[], dial: Dial): Promise<Served> {
  let last: unknown = new OutboundError('not_found', `the name ${dial.name} has no address`);
  for (const address of addresses) {
    try {
      return { reachable: true, certificate: await readAt(address, dial) };
    } catch (error) {
      // Another address may work; the last error is reported.
      last = error;
    }
  }
  throw last;
}

async function readAt(address: string, dial: Dial): Promise<ServedCertificate> {
  const { name, port, reach, deadlineMs, deadline } = dial;
  const plain = await connectOutbound({ host: address, port, reach }, { deadlineMs, signal: deadline });
  // Untrusted certificates are read too.
  const socket = secure({
    socket: plain,
    servername: name,
    rejectUnauthorized: false,
    checkServerIdentity: () => undefined,
    ALPNProtocols: ['h2', 'http/1.1'],
  });
  const end = () => socket.destroy(deadline.reason as Error);
  deadline.addEventListener('abort', end, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve).on('error', reject);
    });
    return shownBy(socket, address, name);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new HandshakeError(`${name}:${port} does not accept TLS for this domain (${code ?? message})`, {
      cause: error,
    });
  } finally {
    deadline.removeEventListener('abort', end);
    socket.destroy();
  }
}

function shownBy(socket: TLSSocket, address: string, name: string): ServedCertificate {
  const certificate = socket.getPeerX509Certificate();
  if (!certificate) throw new Error('no certificate');
  return {
    ...factsOf(certificate),
    address,
    protocol: socket.getProtocol() ?? 'unknown',
    matches: certificateCovers(certificate, name),
    chain: stateOf(certificate, socket),
  };
}

function stateOf(certificate: X509Certificate, { authorized, authorizationError }: TLSSocket): ChainState {
  const now = Date.now();
  if (certificate.validToDate.getTime() < now) return 'expired';
  if (certificate.validFromDate.getTime() > now) return 'not_yet_valid';
  if (authorized) return 'trusted';
  if (isSelfSigned(certificate)) return 'self_signed';
  const code = (authorizationError as NodeJS.ErrnoException | null)?.code ?? String(authorizationError);
  // An issuer in the chain.
  if (code === 'CERT_HAS_EXPIRED') return 'expired';
  if (code === 'CERT_NOT_YET_VALID') return 'not_yet_valid';
  // The server sent no intermediates.
  return code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' ? 'incomplete' : 'untrusted';
}
