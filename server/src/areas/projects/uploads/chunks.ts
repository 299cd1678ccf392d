import { Readable } from 'node:stream';
import type { Db, Sql } from '../../../db/database.ts';
import { inPieces } from '../../../lib/archive/pieces.ts';

/** Uploaded archives in PostgreSQL, where every replica and worker can read them. One chunk is in memory at a time. */
export class UploadChunks {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Stores the stream. Nobody reads it before its upload is `received`, so no transaction is needed. */
  async put(id: string, stream: AsyncIterable<Buffer>): Promise<void> {
    await this.remove(id);
    let number = 0;
    for await (const bytes of inPieces(stream))
      await this.#db.insertInto('upload_chunks').values({ uploadId: id, number: number++, bytes }).execute();
  }

  has = async (id: string, sql: Sql = this.#db): Promise<boolean> => {
    const first = sql.selectFrom('upload_chunks').select('number').where('uploadId', '=', id).where('number', '=', 0);
    return (await first.executeTakeFirst()) !== undefined;
  };

  /** Undefined if the archive is not there. */
  async open(id: string): Promise<Readable | undefined> {
    return (await this.has(id)) ? Readable.from(this.#read(id), { objectMode: false, highWaterMark: 1 }) : undefined;
  }

  async remove(id: string): Promise<void> {
    await this.#db.deleteFrom('upload_chunks').where('uploadId', '=', id).execute();
  }

  async *#read(id: string): AsyncIterable<Buffer> {
    for (let number = 0; ; number++) {
      const chunk = await this.#db
        .selectFrom('upload_chunks')
        .select('bytes')
        .where('uploadId', '=', id)
        .where('number', '=', number)
        .executeTakeFirst();
      if (!chunk) return;
      yield chunk.bytes;
    }
  }
}
