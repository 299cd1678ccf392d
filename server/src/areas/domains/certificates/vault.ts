import type { CertificateFacts } from '../../../drivers/certs/certificate.ts';
import { newId } from '../../../lib/ids.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { OwnedName } from './names-port.ts';
import type { CertificateRow } from './store.ts';

const place = (row: string) => ({ table: 'certificates', column: 'private_key', row });

type Kept = { owner: OwnedName; source: 'acme' | 'uploaded'; chain: string; privateKey: string };

/** A row for a certificate, its key sealed. */
export function certificateRow(sealer: Sealer, { owner, source, chain, privateKey }: Kept, facts: CertificateFacts) {
  const id = newId('crt');
  const row: CertificateRow = {
    id,
    organization_id: owner.organizationId,
    project_id: owner.projectId,
    name: owner.name,
    source,
    chain,
    private_key: sealer.seal(privateKey, place(id)),
    fingerprint: facts.fingerprint,
    not_before: facts.notBefore,
    not_after: facts.notAfter,
    is_current: 0,
    is_next: 0,
    created_at: Date.now(),
  };
  return row;
}

/** The key, for the edge alone. */
export const openKey = (sealer: Sealer, { id, private_key }: CertificateRow): string =>
  sealer.open(private_key, place(id));
