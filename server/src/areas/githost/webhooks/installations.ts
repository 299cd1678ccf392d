import type { Db } from '../../../db/database.ts';
import type { OnInstallation } from './listener.ts';

/** What becomes of the installations that we know when the host says that one has changed. */
export const followInstallations =
  (db: Db): OnInstallation =>
  async ({ action, installation }) => {
    const { id } = installation;
    if (action === 'deleted') await db.deleteFrom('githost_installations').where('installation_id', '=', id).execute();
    if (action === 'suspended' || action === 'resumed')
      await db
        .updateTable('githost_installations')
        .set({ suspended_at: action === 'suspended' ? Date.now() : null })
        .where('installation_id', '=', id)
        .execute();
  };
