import type { DatabaseKind, Trx } from '../../../db/database.ts';
import { lockUntilCommit } from '../../../db/lock.ts';

/** Whoever changes which certificate of a name is the current one has this lock first. */
export const lockCertificates = (trx: Trx, kind: DatabaseKind, name: string): Promise<void> =>
  lockUntilCommit(trx, kind, `certificates of ${name}`);
