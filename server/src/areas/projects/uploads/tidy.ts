import type { Db } from '../../../db/database.ts';
import type { UploadArchives } from './files.ts';
import {
  deleteUpload,
  selectUploadsBeyondWindow,
  selectExpired,
  selectKnownUploads,
  type StoredUpload,
} from './store.ts';

const everyMs = 600_000;
const dayMs = 86_400_000;
/** An upload that is in progress at its expiry may finish. */
const graceMs = 3_600_000;
/** Archives beyond the rollback window: the active release, and one spare. */
const extra = 2;

/** Removes archives that can no longer be deployed. */
export class UploadTidying {
  readonly #db: Db;
  readonly #files: UploadArchives;
  readonly #timer: NodeJS.Timeout;

  constructor(db: Db, files: UploadArchives, warn: (message: string) => void) {
    this.#db = db;
    this.#files = files;
    this.#timer = setInterval(() => {
      this.tidy().catch((error: Error) => warn(`cleaning up uploads failed: ${error.message}`));
    }, everyMs).unref();
  }

  async tidy(now: number = Date.now()): Promise<void> {
    const expired = await selectExpired(this.#db, now);
    const over = expired.filter(({ status }) => status !== 'receiving');
    const abandoned = (await selectExpired(this.#db, now - graceMs)).filter(({ status }) => status === 'receiving');
    for (const upload of [...over, ...abandoned, ...(await selectUploadsBeyondWindow(this.#db, extra))])
      await this.#remove(upload);
    await this.#removeOrphans(now);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Removes the file first: after a crash in between, the row is still there to retry. */
  async #remove(upload: StoredUpload): Promise<void> {
    await this.#files.remove(upload.id);
    await deleteUpload(this.#db, upload);
  }

  /** Rows deleted with their project or organization leave files behind. */
  async #removeOrphans(now: number): Promise<void> {
    const old = await this.#files.olderThan(now - dayMs);
    const known = await selectKnownUploads(this.#db, old);
    for (const id of old) if (!known.has(id)) await this.#files.remove(id);
  }
}
