import { X509Certificate } from 'node:crypto';
import type { Db } from '../../../db/database.ts';
import type { DomainTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';
import { factsOf } from '../../../drivers/certs/certificate.ts';
import { isoTime } from '../../../http/answers.ts';
import type { CertificateState } from '../domains/schemas.ts';
import { actionOfStore } from './action.ts';
import { daysLeft } from './due.ts';

/** What is known of the certificates of some names of one organization, by two questions to the database. */
export async function certificateStates(
  db: Db,
  rows: readonly DomainTable[],
  isOrdered: boolean,
): Promise<Map<string, CertificateState>> {
  const [first] = rows;
  if (!first) return new Map();
  const names = rows.map(({ name }) => name);
  const own = tenant(db, first.organization_id);
  const stored = await own
    .select('certificates')
    .select(['name', 'source', 'chain', 'not_after', 'fingerprint', 'is_current'])
    .where('name', 'in', names)
    .where((eb) => eb.or([eb('is_current', '=', 1), eb('is_next', '=', 1)]))
    .execute();
  const orders = await own.select('certificate_orders').selectAll().where('name', 'in', names).execute();
  return new Map(
    rows.map(({ name, https }) => {
      const kept = stored.filter((each) => each.name === name);
      const found = kept.find((each) => each.is_current);
      const isLoading = kept.some((each) => !each.is_current);
      const order = orders.find((each) => each.name === name);
      // Who does not insist on TLS need not be told that there is none.
      const isMissed = isOrdered || https === 'optional';
      const { required, message, fix } = actionOfStore({ name, isOrdered: isMissed, stored: found, isLoading, order });
      return [name, { certificate: found ? summaryOf(found) : null, problem: required ? { message, fix } : null }];
    }),
  );
}

const summaryOf = ({ source, chain, not_after }: { source: string; chain: string; not_after: number }) => ({
  source: source as 'acme' | 'uploaded',
  issuer: factsOf(new X509Certificate(chain)).issuer,
  validTo: isoTime(not_after),
  daysLeft: daysLeft(not_after),
});
