import { X509Certificate } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import { type DatabaseKind, type Db, inTransaction } from '../../../db/database.ts';
import {
  type CertificateChain,
  chainProblems,
  certificateCovers,
  factsOf,
  readCertificates,
  readPrivateKey,
  useProblem,
} from '../../../drivers/certs/certificate.ts';
import { badRequest, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { dnsName } from '../../../lib/dns-name.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { recordAudit } from '../../access/port.ts';
import { visibleProject } from '../../projects/port.ts';
import { lockCertificates } from './lock.ts';
import type { CertificateNamesPort, CertificateOwner } from './certificate-names-port.ts';
import { deleteUploaded, insertNextCertificate, restoreSpare } from './store.ts';
import { certificateRow } from './vault.ts';

type Deps = {
  db: Db;
  kind: DatabaseKind;
  sealer: Sealer;
  names: CertificateNamesPort;
  /** Loads the certificate into the edge; returns the reason if that fails. */
  onChanged: (name: string) => Promise<string | undefined>;
};

type Given = { certificate: string; privateKey: string };

/** Certificates uploaded by users. */
export class UploadedCertificates {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async put(caller: Caller, projectId: string, domain: string, given: Given) {
    const { db, kind, sealer, onChanged } = this.#deps;
    const owner = await this.#requireDomain(caller, projectId, domain);
    const { certificates, privateKey } = checked(given, owner.name);
    const chain = certificates.map(String).join('');
    const kept = { owner, source: 'uploaded' as const, chain, privateKey };
    const row = certificateRow(sealer, kept, factsOf(certificates[0]));
    await inTransaction(db, async (trx) => {
      await lockCertificates(trx, kind, owner.name);
      await insertNextCertificate(trx, row);
      const [target, { fingerprint }] = [{ id: projectId, name: owner.name }, row];
      const note = { action: 'domain.certificate_uploaded' as const, target, details: { fingerprint } };
      await recordAudit(trx, caller.organization.id, caller, note);
    });
    const problem = await onChanged(owner.name);
    const late =
      problem === undefined ? [] : [`the edge does not have it yet, Mooring retries automatically: ${problem}`];
    return { row, warnings: [...chainProblems(certificates, knownRoots), ...late] };
  }

  async delete(caller: Caller, projectId: string, domain: string): Promise<void> {
    const { db, kind, onChanged } = this.#deps;
    const { name } = await this.#requireDomain(caller, projectId, domain);
    const { id: organizationId } = caller.organization;
    await inTransaction(db, async (trx) => {
      await lockCertificates(trx, kind, name);
      const { numDeletedRows } = await deleteUploaded(trx, organizationId, name);
      if (!numDeletedRows) throw notFound('certificate');
      await restoreSpare(trx, organizationId, name);
      const target = { id: projectId, name };
      await recordAudit(trx, organizationId, caller, { action: 'domain.certificate_deleted', target });
    });
    await onChanged(name);
  }

  async #requireDomain(caller: Caller, projectId: string, domain: string): Promise<CertificateOwner> {
    await visibleProject(this.#deps.db, caller, projectId, 'write');
    const name = dnsName(domain);
    const owner = name === undefined ? undefined : await this.#deps.names.ownerOf(name);
    if (owner?.projectId !== projectId || owner.organizationId !== caller.organization.id) throw notFound('domain');
    return owner;
  }
}

/** Rejects certificates that clients would not accept or that the edge could not load. */
function checked(
  { certificate, privateKey }: Given,
  name: string,
): { certificates: CertificateChain; privateKey: string } {
  const read = readCertificates(certificate);
  if (!read.ok) throw badRequest(`certificate ${read.problem}`, 'certificate');
  const key = readPrivateKey(privateKey);
  if ('problem' in key) throw badRequest(`privateKey ${key.problem}`, 'privateKey');
  const [own] = read.certificates;
  const { names, notBefore, notAfter } = factsOf(own);
  if (!own.checkPrivateKey(key)) throw badRequest('privateKey does not match the certificate', 'privateKey');
  if (!certificateCovers(own, name))
    throw badRequest(
      `certificate is not for ${name}, but for ${names.slice(0, 5).join(', ') || 'nothing'}`,
      'certificate',
    );
  if (notAfter < Date.now())
    throw badRequest(`certificate expired on ${new Date(notAfter).toISOString()}`, 'certificate');
  if (notBefore > Date.now())
    throw badRequest(`certificate is not valid before ${new Date(notBefore).toISOString()}`, 'certificate');
  const pem = key.export({ type: 'pkcs8', format: 'pem' }) as string;
  const problem = useProblem(read.certificates.map(String).join(''), pem);
  if (problem) throw badRequest(`certificate cannot be used: ${problem}`, 'certificate');
  return { certificates: read.certificates, privateKey: pem };
}

const knownRoots = (): X509Certificate[] => getCACertificates().map((pem) => new X509Certificate(pem));
