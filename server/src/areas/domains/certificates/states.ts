import { X509Certificate } from 'node:crypto';
import type { Db } from '../../../db/database.ts';
import type { DomainTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';
import { factsOf } from '../../../drivers/certs/certificate.ts';
import { isoTime } from '../../../http/responses.ts';
import type { CertificateState } from '../domains/schemas.ts';
import { storedCertificateAction } from './action.ts';
import { daysUntilExpiry } from './due.ts';

/** Returns the certificate states of one organization's domains with two queries. */
export async function certificateStates(
  db: Db,
  rows: readonly DomainTable[],
  isOrdered: boolean,
): Promise<Map<string, CertificateState>> {
  const [first] = rows;
  if (!first) return new Map();
  const names = rows.map(({ name }) => name);
  const own = tenant(db, first.organizationId);
  const stored = await own
    .select('certificates')
    .select(['name', 'source', 'chain', 'notAfter', 'fingerprint', 'isCurrent'])
    .where('name', 'in', names)
    .where((eb) => eb.or([eb('isCurrent', '=', 1), eb('isNext', '=', 1)]))
    .execute();
  const orders = await own.select('certificate_orders').selectAll().where('name', 'in', names).execute();
  return new Map(
    rows.map(({ name, https }) => {
      const kept = stored.filter((each) => each.name === name);
      const found = kept.find((each) => each.isCurrent);
      const isLoading = kept.some((each) => !each.isCurrent);
      const order = orders.find((each) => each.name === name);
      // A missing certificate is not a problem if the domain does not require HTTPS.
      const isMissed = isOrdered || https === 'optional';
      const { required, message, fix } = storedCertificateAction({
        name,
        isOrdered: isMissed,
        stored: found,
        isLoading,
        order,
      });
      return [name, { certificate: found ? summaryOf(found) : null, problem: required ? { message, fix } : null }];
    }),
  );
}

const summaryOf = ({ source, chain, notAfter }: { source: string; chain: string; notAfter: number }) => ({
  source: source as 'acme' | 'uploaded',
  issuer: factsOf(new X509Certificate(chain)).issuer,
  validTo: isoTime(notAfter),
  daysLeft: daysUntilExpiry(notAfter),
});
