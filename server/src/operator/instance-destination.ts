import { createReadStream } from 'node:fs';
import { basename, join } from 'node:path';
import { GrantTargets } from '../areas/access/grant-targets.ts';
import { Destinations } from '../areas/backups/destinations/service.ts';
import { selectDestinationsOfOwner } from '../areas/backups/destinations/store.ts';
import { createServers } from '../areas/servers/area.ts';
import { localRootOf } from '../app.ts';
import { type Config, outboundReachOf } from '../config.ts';
import type { Db } from '../db/database.ts';
import { storageKinds } from '../drivers/storage/index.ts';
import type { Storage } from '../drivers/storage/storage.ts';
import { StartError } from '../errors.ts';
import type { Sealer } from '../lib/seal.ts';
import { isBackupOf } from './backup-files.ts';

/** Folder of instance backups in a destination. */
const folder = 'instance';
const deadlineMs = 6 * 3_600_000;

type Deps = { db: Db; sealer: Sealer; config: Config; warn: (message: string) => void };

/** Copies a backup to a destination of the instance owner, and deletes those above `keep` there. */
export async function sendToDestination(
  deps: Deps,
  name: string,
  file: string,
  { instanceId, keep }: { instanceId: string; keep: number | undefined },
): Promise<string> {
  const { db, sealer, config, warn } = deps;
  const rows = await selectDestinationsOfOwner(db, name);
  const [row] = rows;
  if (!row) throw new StartError(`the instance owner has no backup destination named ${name}`);
  if (rows.length > 1)
    throw new StartError(`the instance owner has ${rows.length} destinations named ${name}; rename one`);
  const servers = createServers({ db, config, instanceId, sealer, grantTargets: new GrantTargets() });
  const serverOf = async (serverId: string) => {
    const server = await servers.access(row.organizationId, serverId);
    if (server?.kind !== 'this_machine') return server;
    return { name: server.name, folder: join(config.dataDir, 'backups') };
  };
  const destinations = new Destinations({
    db,
    sealer,
    kinds: storageKinds,
    reach: outboundReachOf(config),
    localRoot: () => localRootOf({ config, log: { warn } }),
    preflightMs: config.preflightTimeout * 1000,
    report: warn,
    serverFor: (_caller, serverId) => serverOf(serverId),
  });
  const storage = await destinations.openWith(row, serverOf);
  const key = `${folder}/${basename(file)}`;
  try {
    const options = { signal: AbortSignal.timeout(deadlineMs) };
    await storage.put(key, createReadStream(file, { highWaterMark: 1_048_576 }), options);
    if (keep !== undefined) await deleteOlder(storage, instanceId, keep);
  } finally {
    await storage.close();
    await servers.stop();
  }
  return key;
}

async function deleteOlder(storage: Storage, instanceId: string, keep: number): Promise<void> {
  const options = { signal: AbortSignal.timeout(600_000) };
  const keys: string[] = [];
  for await (const { key } of storage.list(`${folder}/`, options))
    if (isBackupOf(instanceId, key.slice(folder.length + 1))) keys.push(key);
  for (const key of keys.toSorted().slice(0, -keep)) await storage.delete(key, options);
}
