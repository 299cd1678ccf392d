import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Db } from '../../../db/database.ts';
import type { AuthorityAccount, CertificateAuthority } from '../../../drivers/certs/authority.ts';
import type { Sealer } from '../../../lib/seal.ts';

const newKeyPair = promisify(generateKeyPair);
const place = (directory: string) => ({ table: 'acme_accounts', column: 'private_key', row: directory });

/** ACME account of the instance at each authority. The private key is stored sealed. */
export class AuthorityAccounts {
  readonly #db: Db;
  readonly #sealer: Sealer;

  constructor(db: Db, sealer: Sealer) {
    this.#db = db;
    this.#sealer = sealer;
  }

  async get(directory: string): Promise<AuthorityAccount> {
    const row = (await this.#find(directory)) ?? (await this.#create(directory));
    return { privateKey: this.#sealer.open(row.privateKey, place(directory)), url: row.url };
  }

  /** Stores the account URL and the contact that the authority knows. */
  async note({ directory, contact }: CertificateAuthority, url: string): Promise<void> {
    const known = { url, contact: contact ?? null };
    await this.#db.updateTable('acme_accounts').set(known).where('directory', '=', directory).execute();
  }

  /** Updates the contact address at the authority if it has changed. Replicas that start together may each send it. */
  async tellContact(authority: CertificateAuthority, withinMs: number): Promise<void> {
    const { directory, contact } = authority;
    const row = await this.#find(directory);
    if (!row?.url || row.contact === (contact ?? null)) return;
    await authority.tellContact({ ...(await this.get(directory)), url: row.url }, withinMs);
    await this.note(authority, row.url);
  }

  /** On a race the first inserted key wins. */
  async #create(directory: string) {
    const { privateKey } = await newKeyPair('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const key = this.#sealer.seal(pem, place(directory));
    const row = { directory, url: null, contact: null, privateKey: key, createdAt: Date.now() };
    await this.#db
      .insertInto('acme_accounts')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return (await this.#find(directory))!;
  }

  #find(directory: string) {
    return this.#db.selectFrom('acme_accounts').selectAll().where('directory', '=', directory).executeTakeFirst();
  }
}
