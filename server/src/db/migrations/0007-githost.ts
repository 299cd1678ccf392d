import type { Kysely } from 'kysely';

/** How organizations reach the git host. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const owned = (table: string) =>
    db.schema
      .createTable(table)
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('organization_id', 'text', (c) => c.notNull().references('organizations.id').onDelete('cascade'));
  await owned('githost_connections')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('login', 'text', (c) => c.notNull())
    .addColumn('tokens', 'text')
    .addColumn('connected_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('githost_connections_once', ['organization_id', 'kind'])
    .execute();
  await owned('githost_installations')
    .addColumn('installation_id', 'bigint', (c) => c.notNull())
    .addColumn('account_id', 'bigint', (c) => c.notNull())
    .addColumn('account_login', 'text', (c) => c.notNull())
    .addColumn('account_type', 'text', (c) => c.notNull())
    .addColumn('suspended_at', 'bigint')
    .addColumn('proof', 'text', (c) => c.notNull())
    .addColumn('connected_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('githost_installations_once', ['organization_id', 'installation_id'])
    .execute();
  await db.schema
    .createIndex('githost_installations_by_number')
    .on('githost_installations')
    .column('installation_id')
    .execute();
  await owned('githost_sign_ins')
    .addColumn('user_id', 'text', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('state_hash', 'text', (c) => c.unique())
    .addColumn('nonce_hash', 'text')
    .addColumn('secret', 'text')
    .addColumn('redirect_uri', 'text')
    .addColumn('user_code', 'text')
    .addColumn('verification_uri', 'text')
    .addColumn('interval_ms', 'integer')
    .addColumn('next_poll_at', 'bigint')
    .addColumn('may_claim', 'integer', (c) => c.notNull())
    .addColumn('outcome', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('githost_sign_ins_by_user')
    .on('githost_sign_ins')
    .columns(['organization_id', 'user_id'])
    .execute();
  await owned('githost_clone_tokens')
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('repository', 'text', (c) => c.notNull())
    .addColumn('token', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('githost_clone_tokens_by_end').on('githost_clone_tokens').column('expires_at').execute();
}
