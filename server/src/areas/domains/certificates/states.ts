import { X509Certificate } from 'node:crypto';
import type { Db } from '../../../db/database.ts';
import type { DomainTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';
import { isoTime } from '../../../http/answers.ts';
import type { CertificateState } from '../domains/schemas.ts';
import { daysLeft } from './due.ts';
import { orderError } from './schemas.ts';

/** What is known of the certificates of some names of one organization, by two questions to the database. */
export async function certificateStates(db: Db, rows: readonly DomainTable[]): Promise<Map<string, CertificateState>> {
  const [first] = rows;
  if (!first) return new Map();
  const names = rows.map(({ name }) => name);
  const own = tenant(db, first.organization_id);
  const stored = await own
    .select('certificates')
    .select(['name', 'source', 'chain', 'not_after'])
    .where('name', 'in', names)
    .where('is_current', '=', 1)
    .execute();
  const orders = await own.select('certificate_orders').selectAll().where('name', 'in', names).execute();
  return new Map(
    names.map((name) => {
      const found = stored.find((each) => each.name === name);
      const order = orders.find((each) => each.name === name);
      const error = order?.status === 'failed' ? orderError(order) : null;
      // One that is good for a while gives the authority time.
      const isUrgent = !found || daysLeft(found.not_after) < urgentDays;
      return [
        name,
        {
          certificate: found ? summaryOf(found) : null,
          problem: error && isUrgent ? { message: error.message, fix: error.hint } : null,
        },
      ];
    }),
  );
}

const urgentDays = 14;

const summaryOf = ({ source, chain, not_after }: { source: string; chain: string; not_after: number }) => ({
  source: source as 'acme' | 'uploaded',
  issuer: issuerOf(chain),
  validTo: isoTime(not_after),
  daysLeft: daysLeft(not_after),
});

/** The name of who issued it, as people know them. */
function issuerOf(chain: string): string {
  const lines = new X509Certificate(chain).issuer.split('\n');
  const part = (key: string) => lines.find((line) => line.startsWith(`${key}=`))?.slice(key.length + 1);
  return part('O') ?? part('CN') ?? lines.join(', ');
}
