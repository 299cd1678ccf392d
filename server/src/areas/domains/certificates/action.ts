import type { Served } from '../../../drivers/certs/served.ts';
import { daysUntilExpiry } from './due.ts';
import type { OrderRow } from './order-store.ts';
import { orderError } from './schemas.ts';
import type { CertificateRow } from './store.ts';

/** The action that the user has to take for a domain, if any. */
export interface CertificateAction {
  required: boolean;
  message: string;
  fix: string | null;
}

type Situation = {
  name: string;
  /** Server that the domain should point to, as shown to users. */
  machine: string;
  isOurs: boolean;
  /** Whether Mooring orders certificates for it. */
  isOrdered: boolean;
  /** Whether it should have a certificate at all. */
  isWanted: boolean;
  stored: Stored | undefined;
  /** A newer certificate exists that the edge has not loaded yet. */
  isLoading: boolean;
  served: Served;
  order: OrderRow | undefined;
};

type Stored = Pick<CertificateRow, 'source' | 'notAfter' | 'fingerprint'>;
type Kept = Pick<Situation, 'name' | 'stored' | 'isLoading' | 'order' | 'isOrdered'>;

const soonDays = 14;
/** Errors that go away without user action. */
const passing = new Set(['rate_limited', 'unreachable', 'timeout', 'internal']);

const nothing = (message: string): CertificateAction => ({ required: false, message, fix: null });
const required = (message: string, fix: string): CertificateAction => ({ required: true, message, fix });

export function certificateActionFor(seen: Situation): CertificateAction {
  const { name, isOurs, isWanted, stored, isLoading } = seen;
  if (!isOurs) return nothing(`${name} is not a domain of your projects`);
  if (!stored && !isLoading && !isWanted) return nothing(`${name} needs no certificate`);
  return (
    aboutOrder(seen) ?? aboutLoading(seen) ?? aboutStored(seen) ?? aboutServed(seen) ?? nothing('no action is needed')
  );
}

/** Like `certificateActionFor`, but without probing the served certificate. */
export const storedCertificateAction = (kept: Kept): CertificateAction =>
  aboutOrder(kept) ?? aboutLoading(kept) ?? aboutStored(kept) ?? nothing('no action is needed');

function aboutOrder({ name, stored, order }: Kept): CertificateAction | undefined {
  const isGood = stored !== undefined && stored.notAfter > Date.now();
  const error = order && orderError(order);
  if (order?.status === 'failed' && error) {
    const isLate = isGood && daysUntilExpiry(stored.notAfter) < soonDays;
    if (isGood && !isLate && passing.has(error.code)) return nothing(`${error.message}. ${error.hint}`);
    return required(error.message, error.hint);
  }
  const isUnderWay = order?.status === 'waiting' || order?.status === 'running';
  return isUnderWay && !isGood ? nothing(`a certificate for ${name} is being ordered`) : undefined;
}

const aboutLoading = ({ name, isLoading }: Kept): CertificateAction | undefined =>
  isLoading ? nothing(`a new certificate for ${name} has been issued and serves in a moment`) : undefined;

function aboutStored({ name, stored, isOrdered }: Kept): CertificateAction | undefined {
  if (!stored)
    return isOrdered
      ? nothing(`a certificate for ${name} will be ordered in a moment`)
      : required(
          `${name} has no certificate`,
          'Upload a certificate, or set MOORING_ACME_DIRECTORY to a certificate authority.',
        );
  const left = daysUntilExpiry(stored.notAfter);
  if (stored.source !== 'uploaded' || left >= soonDays) return undefined;
  const when = left < 0 ? 'has expired' : `expires in ${left} ${left === 1 ? 'day' : 'days'}`;
  return required(`the uploaded certificate of ${name} ${when}`, 'Upload a new certificate, or delete this one.');
}

function aboutServed({ name, machine, stored, served }: Situation): CertificateAction | undefined {
  if (!served.reachable)
    return required(
      `the certificate is ready, but ${name} cannot be reached over HTTPS: ${served.reason}`,
      `Open the TLS port of the edge in the firewall, and point the domain to ${machine}.`,
    );
  if (served.certificate.fingerprint === stored?.fingerprint) return undefined;
  return required(
    `${name} serves a different certificate at ${served.certificate.address}`,
    `Point all A and AAAA records of the domain to ${machine}. If a proxy is in front, its certificate counts.`,
  );
}
