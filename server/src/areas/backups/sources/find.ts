import type { DataVolume, ProjectData } from '../../deployments/port.ts';
import { readTar } from '../../../lib/archive/reader.ts';
import { isSqlite } from '../../../lib/sqlite-format.ts';
import { engines, isSystemDatabase } from './databases/engines.ts';
import { keyPart } from './object-key-parts.ts';
import { type FoundServer, databaseServersOf } from './servers.ts';
import type { FoundSource } from './source.ts';
import { sqliteFilesIn } from './volumes/sqlite-files.ts';

/** A server that does not answer must not block the list. */
const listMs = 5_000;
/** An engine can only send a whole volume; SQLite files that come later are found when the volume is backed up. */
const mostScannedBytes = 64 * 2 ** 20;
const mostScannedFiles = 20_000;

const volumeReasons = {
  project: 'a volume of the project',
  compose: 'a volume of the compose file',
  image: 'the image declares a volume there',
};

/** Lists the data of an environment. */
export async function findSources(data: ProjectData): Promise<FoundSource[]> {
  const servers = databaseServersOf(data);
  const databases = (await Promise.all(servers.map((server) => databasesOf(server)))).flat();
  const dumped = new Set(servers.filter(({ isContainer }) => isContainer).map(({ service }) => service.name));
  const volumes = await Promise.all(
    data.volumes.map(async (volume): Promise<FoundSource[]> => {
      const owner = volume.services.find((service) => dumped.has(service));
      const where = `${volumeReasons[volume.origin]}${volume.path === null ? '' : `, at ${volume.path}`}`;
      const sqlite = owner === undefined ? await sqliteIn(data, volume) : [];
      const own: FoundSource = {
        ref: { type: 'volume', volume: volume.name },
        name: `volume-${keyPart(volume.name)}`,
        reason: owner === undefined ? where : `${where}; the database of ${owner} in it is dumped instead`,
        isDefault: owner === undefined,
      };
      return [own, ...sqlite];
    }),
  );
  return unique([...databases, ...volumes.flat()]);
}

async function databasesOf(server: FoundServer): Promise<FoundSource[]> {
  const { service, engine, reason, database } = server;
  const names = await listed(server);
  return names.map((name) => ({
    ref: { type: 'database', service: service.name, engine, ...(name !== null && { database: name }) },
    name: ['database', keyPart(service.name), ...(name === null ? [] : [keyPart(name)])].join('-'),
    reason: name === null || name === database ? reason : `${reason} and has a database ${JSON.stringify(name)}`,
    isDefault: true,
  }));
}

/** Asks the server for its databases. Without an answer, there is the one that its variables name. */
async function listed(found: FoundServer): Promise<(string | null)[]> {
  const { engine, database, isContainer } = found;
  const known = engines[engine];
  // An app's user may see databases of others on this machine. Redis has one file for everything.
  if (!isContainer) return [database];
  if (!known) return [null];
  try {
    const server = await known.connect(await found.open(AbortSignal.timeout(listMs)));
    const all = await known.list(server);
    const own = all.filter((name) => name === database || !isSystemDatabase(engine, name));
    if (own.length) return own;
  } catch {
    // It does not run, or does not accept us: a backup says why.
  }
  return database === null ? [] : [database];
}

async function sqliteIn({ parts }: ProjectData, volume: DataVolume): Promise<FoundSource[]> {
  const found: string[] = [];
  const { place } = volume;
  if ('folder' in place) for await (const path of sqliteFilesIn(place.folder)) found.push(path);
  else {
    const tar = await parts.containers!.services.readVolume(place.engineId, '');
    let [bytes, files] = [0, 0];
    try {
      for await (const entry of tar ? readTar(tar, { withoutDevices: true }) : []) {
        const first = entry.type === 'file' ? (await entry.body().next()).value : undefined;
        if (first && isSqlite(first)) found.push(entry.path.split('/').slice(1).join('/'));
        if ((bytes += entry.size) > mostScannedBytes || ++files > mostScannedFiles) break;
      }
    } catch {
      // A volume that cannot be read is reported by its backup.
    } finally {
      tar?.destroy();
    }
  }
  return found.map((path) => ({
    ref: { type: 'database', service: volume.service ?? 'app', engine: 'sqlite', database: `${volume.name}/${path}` },
    name: `database-${keyPart(`${volume.name}-${path}`)}`,
    reason: `${path} in the volume ${volume.name} is a SQLite database`,
    // The backup of its volume includes it.
    isDefault: false,
  }));
}

/** Names are parts of object keys. */
function unique(sources: FoundSource[]): FoundSource[] {
  const counts = new Map<string, number>();
  return sources.map((source) => {
    const count = (counts.get(source.name) ?? 0) + 1;
    counts.set(source.name, count);
    return count === 1 ? source : { ...source, name: `${source.name}-${count}` };
  });
}
