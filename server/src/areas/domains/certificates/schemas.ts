import { z } from '../../../lib/zod/index.ts';
import { storedJson } from '../../../db/stored-json.ts';
import { factsOf, readCertificates } from '../../../drivers/certs/certificate.ts';
import type { Served } from '../../../drivers/certs/served.ts';
import { isoTime, timeField } from '../../../http/responses.ts';
import { dnsName } from '../../../lib/dns-name.ts';
import type { CertificateAction } from './action.ts';
import { daysUntilExpiry, renewAt } from './due.ts';
import type { OrderRow } from './order-store.ts';
import type { CertificateRow } from './store.ts';

export const CertificateQuery = z.object({
  domain: z
    .string()
    .max(1000)
    .transform((text, context) => {
      const name = dnsName(text);
      if (name !== undefined) return name;
      const message = text.trim() ? 'must be a domain name such as www.example.com' : 'is required';
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .describe('Domain name without scheme and port.'),
});

export const UploadBody = z.object({
  certificate: z
    .string()
    .min(1)
    .max(100_000)
    .describe('PEM: the certificate of the domain first, then the intermediates.'),
  privateKey: z.string().min(1).max(20_000).describe('PEM, without a passphrase. Never shown again.'),
});

export const Certificate = z
  .object({
    domain: z.string(),
    source: z.enum(['acme', 'uploaded']).describe('Whether it was issued by the certificate authority or uploaded.'),
    issuer: z.string(),
    subjectNames: z.array(z.string()),
    validFrom: timeField,
    validTo: timeField,
    daysLeft: z.number().int(),
    renewsAt: timeField.nullable().describe('When Mooring renews it; null for an uploaded certificate.'),
    fingerprint: z.string().describe('SHA-256, lower-case hex.'),
    createdAt: timeField,
  })
  .meta({ id: 'Certificate' });

export const UploadedCertificate = Certificate.extend({
  warnings: z.array(z.string()).describe('Reasons why some clients may not trust it.'),
});

const ServedCertificate = z.object({
  reachable: z.boolean(),
  code: z.string().nullable().describe('Code of the reason why it is not reachable.'),
  reason: z.string().nullable().describe('Why it is not reachable.'),
  address: z.string().nullable(),
  protocol: z.string().nullable(),
  issuer: z.string().nullable(),
  subjectNames: z.array(z.string()),
  validFrom: timeField.nullable(),
  validTo: timeField.nullable(),
  daysLeft: z.number().int().nullable(),
  matches: z.boolean().nullable().describe('Whether it covers this domain.'),
  chain: z.enum(['trusted', 'self_signed', 'untrusted', 'incomplete', 'expired', 'not_yet_valid']).nullable(),
  fingerprint: z.string().nullable(),
});

const OrderError = z.object({ code: z.string(), message: z.string(), hint: z.string() });
export type OrderError = z.infer<typeof OrderError>;

const Order = z.object({
  status: z.enum(['waiting', 'running', 'failed', 'done']),
  attempts: z.number().int().describe('Number of consecutive failures.'),
  nextAttemptAt: timeField.nullable(),
  error: OrderError.nullable(),
});

export const SslStatus = z
  .object({
    domain: z.string(),
    isOurs: z.boolean().describe('Whether the domain belongs to a project that you can see.'),
    stored: Certificate.nullable(),
    served: ServedCertificate.describe('Certificate that clients get.'),
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
    daysLeft: daysUntilExpiry(notAfter),
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
  const validity = { validFrom: isoTime(notBefore), validTo: isoTime(notAfter), daysLeft: daysUntilExpiry(notAfter) };
  return { ...same, ...validity, subjectNames: names, reachable: true, code: null, reason: null };
}

const readError = storedJson('certificate_orders.error', OrderError);
export const orderError = ({ error }: OrderRow): OrderError | null => readError(error);

function presentOrder(order: OrderRow): z.input<typeof Order> {
  const { status } = order;
  const nextAttemptAt = status === 'failed' ? isoTime(order.nextAt) : null;
  return { status, attempts: order.attempts, nextAttemptAt, error: orderError(order) };
}

export type SeenCertificate = {
  domain: string;
  isOurs: boolean;
  stored: CertificateRow | undefined;
  served: Served;
  order: OrderRow | undefined;
  action: CertificateAction;
};

export const presentStatus = ({ stored, served, order, ...same }: SeenCertificate): z.input<typeof SslStatus> => ({
  ...same,
  stored: stored ? presentCertificate(stored) : null,
  served: presentServed(served),
  order: order ? presentOrder(order) : null,
});
