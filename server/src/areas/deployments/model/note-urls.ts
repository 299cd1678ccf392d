import type { Db } from '../../../db/database.ts';
import type { Log } from '../../../lib/log.ts';
import { type DeploymentRow, updateDeployment } from './store.ts';

/** Stores the URLs that a release serves. */
export async function storeUrls(
  { db, log }: { db: Db; log: Log },
  { id, organizationId, urls: before }: DeploymentRow,
  urls: string[],
): Promise<void> {
  const now = JSON.stringify(urls);
  if (before === now) return;
  await updateDeployment(db, organizationId, id, { urls: now });
  log.info(`${id} answers at ${urls.join(', ')}`);
}
