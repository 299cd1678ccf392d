import { z } from 'zod';
import { storedJson } from '../../../db/stored-json.ts';
import { factsOf, readCertificates } from '../../../drivers/certs/certificate.ts';
import type { Served } from '../../../drivers/certs/served.ts';
import { isoTime, time } from '../../../http/answers.ts';
import { dnsName } from '../../../lib/dns-name.ts';
import type { Action } from './action.ts';
import { daysLeft, renewAt } from './due.ts';
import type { OrderRow } from './order-store.ts';
import type { CertificateRow } from './store.ts';

export const DomainBody = z.object({
  domain: z
    .string()
    .max(1000)
    .transform((text, context) => {
      const name = dnsName(text);
      if (name !== undefined) return name;
      const message = text.trim() ? 'must be a domain name, as www.example.com' : 'is required';
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .describe('A name, without a scheme and a port.'),
});

export const UploadBody = z.object({
  certificate: z
    .string()
    .min(1)
    .max(100_000)
    .describe('PEM: its own certificate first, then those up to the authority.'),
  privateKey: z.string().min(1).max(20_000).describe('PEM, without a passphrase. It never comes back out.'),
});

export const Certificate = z
  .object({
    domain: z.string(),
    source: z
      .enum(['acme', 'uploaded'])
      .describe('Whether the authority has issued it to us, or somebody uploaded it.'),
    issuer: z.string(),
    subjectNames: z.array(z.string()),
    validFrom: time,
    validTo: time,
    daysLeft: z.number().int(),
    renewsAt: time.nullable().describe('When we renew it; null for one that was uploaded.'),
    fingerprint: z.string().describe('SHA-256, lower-case hex.'),
    createdAt: time,
  })
  .meta({ id: 'Certificate' });

export const UploadedCertificate = Certificate.extend({
  warnings: z.array(z.string()).describe('What visitors may not like about it.'),
});

const ServedCertificate = z.object({
  reachable: z.boolean(),
  code: z.string().nullable().describe('Why it is not reachable, as a word.'),
  reason: z.string().nullable().describe('Why it is not reachable.'),
  address: z.string().nullable(),
  protocol: z.string().nullable(),
  issuer: z.string().nullable(),
  subjectNames: z.array(z.string()),
  validFrom: time.nullable(),
  validTo: time.nullable(),
  daysLeft: z.number().int().nullable(),
  matches: z.boolean().nullable().describe('Whether it is for this name.'),
  chain: z.enum(['trusted', 'self_signed', 'untrusted', 'incomplete', 'expired', 'not_yet_valid']).nullable(),
  fingerprint: z.string().nullable(),
});

const OrderError = z.object({ code: z.string(), message: z.string(), hint: z.string() });
export type OrderError = z.infer<typeof OrderError>;

const Order = z.object({
  status: z.enum(['waiting', 'running', 'failed', 'done']),
  attempts: z.number().int().describe('How often it failed in a row.'),
  nextAttemptAt: time.nullable(),
  error: OrderError.nullable(),
});

export const SslStatus = z
  .object({
    domain: z.string(),
    isOurs: z.boolean().describe('Whether it is a name of a project that you see.'),
    stored: Certificate.nullable(),
    served: ServedCertificate.describe('What visitors get to see.'),
    order: Order.nullable(),
    action: z.object({ required: z.boolean(), message: z.string(), fix: z.string().nullable() }),
  })
  .meta({ id: 'SslStatus' });

export function presentCertificate(row: CertificateRow): z.input<typeof Certificate> {
  const read = readCertificates(row.chain);
  if (!read.ok) throw new Error(`the certificate of ${row.name} ${read.problem}`);
  const { issuer, names, notBefore, notAfter, fingerprint } = factsOf(read.certificates[0]);
  return {
    domain: row.name,
    source: row.source,
    issuer,
    subjectNames: names,
    validFrom: isoTime(notBefore),
    validTo: isoTime(notAfter),
    daysLeft: daysLeft(notAfter),
    renewsAt: row.source === 'acme' ? isoTime(renewAt({ fingerprint, notBefore, notAfter })) : null,
    fingerprint,
    createdAt: isoTime(row.createdAt),
  };
}

const unseen = {
  address: null,
  protocol: null,
  issuer: null,
  subjectNames: [],
  validFrom: null,
  validTo: null,
  daysLeft: null,
  matches: null,
  chain: null,
  fingerprint: null,
};

function presentServed(served: Served): z.input<typeof ServedCertificate> {
  if (!served.reachable) return { ...unseen, reachable: false, code: served.code, reason: served.reason };
  const { names, notBefore, notAfter, serialNumber: _, ...same } = served.certificate;
  const validity = { validFrom: isoTime(notBefore), validTo: isoTime(notAfter), daysLeft: daysLeft(notAfter) };
  return { ...same, ...validity, subjectNames: names, reachable: true, code: null, reason: null };
}

const readError = storedJson('certificate_orders.error', OrderError);
export const orderError = ({ error }: OrderRow): OrderError | null => readError(error);

function presentOrder(order: OrderRow): z.input<typeof Order> {
  const { status } = order;
  const nextAttemptAt = status === 'failed' ? isoTime(order.nextAt) : null;
  return { status, attempts: order.attempts, nextAttemptAt, error: orderError(order) };
}

export type Seen = {
  domain: string;
  isOurs: boolean;
  stored: CertificateRow | undefined;
  served: Served;
  order: OrderRow | undefined;
  action: Action;
};

export const presentStatus = ({ stored, served, order, ...same }: Seen): z.input<typeof SslStatus> => ({
  ...same,
  stored: stored ? presentCertificate(stored) : null,
  served: presentServed(served),
  order: order ? presentOrder(order) : null,
});
