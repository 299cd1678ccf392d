import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { installations } from './githost-seed.ts';

/** As if the owner of a service on that folder had connected the app, which is installed for `team`. */
export function installForOwner(dataDir: string): void {
  const database = new DatabaseSync(join(dataDir, 'mooring.db'), { timeout: 5000 });
  const { id } = installations.find(({ account }) => account === 'team')!;
  database.exec(`insert into githost_installations (id, organization_id, installation_id, account_id, account_login,
    account_type, proof, connected_by, created_at)
    select 'ins_1', id, ${id}, 1, 'team', 'organization', 'sign_in', 'test', 0 from organizations`);
  database.close();
}
