import type { CertificateFacts } from '../../../drivers/certs/certificate.ts';
import { newId } from '../../../lib/ids.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { CertificateOwner } from './certificate-names-port.ts';
import type { CertificateRow } from './store.ts';

const place = (row: string) => ({ table: 'certificates', column: 'private_key', row });

type Kept = { owner: CertificateOwner; source: 'acme' | 'uploaded'; chain: string; privateKey: string };

/** Returns a row for a certificate with a sealed key. */
export function certificateRow(sealer: Sealer, { owner, source, chain, privateKey }: Kept, facts: CertificateFacts) {
  const id = newId('crt');
  const row: CertificateRow = {
    id,
    organizationId: owner.organizationId,
    projectId: owner.projectId,
    name: owner.name,
    source,
    chain,
    privateKey: sealer.seal(privateKey, place(id)),
    fingerprint: facts.fingerprint,
    notBefore: facts.notBefore,
    notAfter: facts.notAfter,
    isCurrent: 0,
    isNext: 0,
    createdAt: Date.now(),
  };
  return row;
}

/** Returns the private key for the edge. */
export const openKey = (sealer: Sealer, { id, privateKey }: CertificateRow): string =>
  sealer.open(privateKey, place(id));
