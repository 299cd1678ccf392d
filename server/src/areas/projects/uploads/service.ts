import { timingSafeEqual } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Db, inTransaction, isUnavailable, type Sql } from '../../../db/database.ts';
import type { UploadTable } from '../../../db/tables.ts';
import { expectDetection } from '../../../detect/in-thread.ts';
import { AppError, badRequest, conflict, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { checkArchive, extractArchive } from '../../../lib/archive/archive.ts';
import { limitConcurrency } from '../../../lib/concurrency.ts';
import { newId } from '../../../lib/ids.ts';
import { drainRefusedBody } from '../../../lib/drain-refused-body.ts';
import { hashSecret, randomSecret } from '../../../lib/secrets.ts';
import { lockOrganization, hasAccessTo, recordAudit, selectUser } from '../../access/port.ts';
import { visibleProject } from '../projects/visible.ts';
import { type ReceivedFile, uploadErrorOf, type UploadArchives } from './files.ts';
import type { Detected, DetectFolder, SelectedSource, SessionBody } from './schemas.ts';
import {
  claimUpload,
  countUnused,
  deleteOldestEmpty,
  insertUpload,
  moveUpload,
  selectUpload,
  selectUploadBeforeSecret,
} from './store.ts';

const lifetimeMs = 3_600_000;
/** Limit per organization. Each may occupy 300 MB for an hour. */
const maxUnused = 100;
/** Sessions without an archive only cost a row, so the oldest is evicted instead of rejecting a new one. */
const maxEmpty = 100;

export const uploadTokenHeader = 'x-upload-token';

export type UploadOptions = {
  db: Db;
  mode: 'self-hosted' | 'cloud';
  dataDir: string;
  /** Identifies this replica. */
  machine: string;
  files: UploadArchives;
  detectFolder: DetectFolder;
  /** Throws a 404 if the caller cannot use that server. */
  requireServer: (caller: Caller, serverId: string) => Promise<void>;
};

export class Uploads {
  readonly #options: UploadOptions;
  /** Unpacking is CPU-bound. */
  readonly #unpacking = limitConcurrency(2);

  constructor(options: UploadOptions) {
    this.#options = options;
  }

  /** Opens a session; its secret is the only credential of the upload. */
  async open(
    caller: Caller,
    { mode, serverId, projectId }: SessionBody,
  ): Promise<{ row: UploadTable; secret: string }> {
    this.#requireSelfHosted();
    if (mode === 'server' && !serverId) throw badRequest('serverId is required with the mode server', 'serverId');
    if (serverId !== undefined) await this.#options.requireServer(caller, serverId);
    const secret = randomSecret();
    const session = await inTransaction(this.#options.db, async (trx) => {
      await lockOrganization(trx, caller.organization.id);
      if (projectId !== undefined) await visibleProject(trx, caller, projectId, 'write');
      if ((await countUnused(trx, caller.organization.id)) >= maxUnused)
        throw new AppError('rate_limited', 'too many uploads wait to be deployed', { retryAfterSeconds: 60 });
      await deleteOldestEmpty(trx, caller.organization.id, maxEmpty - 1);
      const row = newUpload(caller, secret, { mode, serverId: serverId ?? null, projectId: projectId ?? null });
      await insertUpload(trx, row);
      const target = { id: row.id, name: row.id };
      await recordAudit(trx, row.organizationId, caller, { action: 'upload.opened', target, details: { mode } });
      return { row, secret };
    });
    expectDetection();
    return session;
  }

  /** Receives the archive of a session, once and complete. */
  async receive(id: string, headers: IncomingHttpHeaders, raw: Readable, ip: string): Promise<ReceivedFile> {
    try {
      this.#requireSelfHosted();
      const upload = await this.#authenticated(id, headers[uploadTokenHeader]);
      return await this.#take(upload, Number(headers['content-length'] ?? 0), raw, ip);
    } catch (error) {
      drainRefusedBody(raw);
      throw error;
    }
  }

  async #take(upload: UploadTable, announced: number, raw: Readable, ip: string): Promise<ReceivedFile> {
    const { id, organizationId, expiresAt } = upload;
    const { db, files } = this.#options;
    const move = (from: UploadTable['status'], status: UploadTable['status']) =>
      moveUpload(db, organizationId, id, from, { status });
    if (!(await move('open', 'receiving'))) throw conflict('this session already has its upload');
    try {
      const received = await files.receive(id, raw, announced, expiresAt);
      await this.#unpacking(() => checkArchive(files.readDraft(id)));
      await files.keep(id);
      await this.#record(upload, received, ip);
      return received;
    } catch (error) {
      await files.remove(id);
      // Nothing was stored, so the client may retry.
      await move('receiving', 'open');
      throw error;
    }
  }

  /** Detects how the uploaded folder would be built. */
  async scan(caller: Caller, id: string, place: SelectedSource): Promise<Detected> {
    this.#requireSelfHosted();
    const upload = await selectUpload(this.#options.db, caller.organization.id, id);
    if (!upload || !sees(caller, upload)) throw notFound('upload session');
    requireReceived(upload);
    const temporary = join(this.#options.dataDir, 'tmp');
    await mkdir(temporary, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(temporary, 'scan-'));
    try {
      await this.extractTo(id, folder);
      return await this.#options.detectFolder(folder, place);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Assigns the archive to a project, in the transaction that creates the deployment. */
  async claim(sql: Sql, caller: Caller, id: string, projectId: string): Promise<UploadTable & { isShared: boolean }> {
    const upload = await selectUpload(sql, caller.organization.id, id);
    if (!upload || !sees(caller, upload)) throw notFound('upload session');
    requireReceived(upload);
    if (!(await claimUpload(sql, upload.organizationId, id, projectId)))
      throw conflict('this upload belongs to another project; upload the folder again');
    return { ...upload, isShared: await this.#options.files.isShared(id, sql) };
  }

  /** Unpacks an archive into an empty folder, or nothing if it is unsafe. */
  async extractTo(id: string, folder: string): Promise<void> {
    const archive = await this.#options.files.read(id);
    try {
      await this.#unpacking(() => extractArchive(archive, folder));
    } catch (error) {
      // Archives in the database: the deployment waits until it is back.
      throw isUnavailable(error) ? error : uploadErrorOf(error);
    } finally {
      archive.destroy();
    }
  }

  #requireSelfHosted(): void {
    if (this.#options.mode === 'cloud')
      throw new AppError('local_in_cloud', 'folders cannot be uploaded in cloud mode; deploy from git');
  }

  /** An unknown session and a wrong secret are indistinguishable, also by timing. */
  async #authenticated(id: string, secret: string | string[] | undefined): Promise<UploadTable> {
    const upload = await selectUploadBeforeSecret(this.#options.db, id);
    const given = Buffer.from(hashSecret(typeof secret === 'string' ? secret : ''));
    const fits = timingSafeEqual(given, Buffer.from(upload?.hash ?? hashSecret(id)));
    if (!upload || !fits)
      throw new AppError('unauthenticated', `the upload session or its ${uploadTokenHeader} is not valid`);
    if (upload.status === 'open' && upload.expiresAt <= Date.now()) throw notFound('upload session');
    return upload;
  }

  async #record({ id, organizationId, createdBy }: UploadTable, received: ReceivedFile, ip: string): Promise<void> {
    await inTransaction(this.#options.db, async (trx) => {
      const change = {
        ...received,
        status: 'received' as const,
        machine: this.#options.machine,
        expiresAt: Date.now() + lifetimeMs,
      };
      // The session was deleted meanwhile with its project or organization.
      if (!(await moveUpload(trx, organizationId, id, 'receiving', change))) throw notFound('upload session');
      const sender = { userId: createdBy, email: (await selectUser(trx, createdBy))?.email ?? createdBy, ip };
      const target = { id, name: id };
      await recordAudit(trx, organizationId, sender, { action: 'upload.received', target, details: received });
    });
  }
}

/** Restricted members see their own uploads and those of granted projects. */
const sees = (caller: Caller, { createdBy, projectId }: UploadTable): boolean =>
  createdBy === caller.userId ||
  caller.organization.role !== 'restricted' ||
  (projectId !== null && hasAccessTo(caller, 'project', projectId, 'read'));

function requireReceived({ status, expiresAt }: UploadTable): void {
  if (status === 'open' || status === 'receiving')
    throw new AppError('not_allowed_now', 'nothing has been uploaded in this session yet');
  if (status === 'received' && expiresAt <= Date.now()) throw notFound('upload session');
}

function newUpload(
  caller: Caller,
  secret: string,
  wanted: Pick<UploadTable, 'mode' | 'serverId' | 'projectId'>,
): UploadTable {
  const now = Date.now();
  return {
    id: newId('upl'),
    organizationId: caller.organization.id,
    ...wanted,
    hash: hashSecret(secret),
    machine: null,
    status: 'open',
    size: null,
    sha256: null,
    createdBy: caller.userId,
    createdAt: now,
    expiresAt: now + lifetimeMs,
    usedAt: null,
  };
}
