import type { DatabaseKind, Trx } from '../../../db/database.ts';
import { lockUntilCommit } from '../../../db/lock.ts';

/** Must be held to change which certificate of a name is current. */
export const lockCertificates = (trx: Trx, kind: DatabaseKind, name: string): Promise<void> =>
  lockUntilCommit(trx, kind, `certificates of ${name}`);
