import type { Db } from '../../../db/database.ts';
import { type Storage, StorageError, type StorageServer } from '../../../drivers/storage/storage.ts';
import { AppError } from '../../../errors.ts';
import { preflight } from '../destinations/preflight.ts';
import type { Destinations } from '../destinations/service.ts';
import { selectDestination } from '../destinations/store.ts';
import { BackupError } from '../sources/source.ts';
import type { SendTarget } from './send.ts';

const reachMs = 60_000;

type Deps = {
  db: Db;
  destinations: Destinations;
  /** Returns a server of the organization, for work that has no caller. */
  serverOf: (organizationId: string, serverId: string) => Promise<StorageServer | undefined>;
};

/** Tells a caller what is wrong with a destination, instead of an internal error. */
export function rethrowForCaller(error: unknown): never {
  if (error instanceof StorageError || error instanceof BackupError)
    throw new AppError('unavailable', `The destination failed: ${error.message}`, { cause: error });
  throw error;
}

/** Opens destinations for backups, which run without a caller. */
export class ArchiveStores {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async open(organizationId: string, id: string): Promise<Storage> {
    const { db, destinations, serverOf } = this.#deps;
    const row = await selectDestination(db, organizationId, id);
    if (!row)
      throw new BackupError(
        'destination_missing',
        `the destination ${id} does not exist any more`,
        'Choose another destination in the policy.',
      );
    return destinations.openWith(row, (serverId) => serverOf(organizationId, serverId));
  }

  async nameOf(organizationId: string, id: string): Promise<string> {
    return (await selectDestination(this.#deps.db, organizationId, id))?.name ?? id;
  }

  /** Opens those that store a small object correctly; the others are reported with the reason. */
  async openTested(
    organizationId: string,
    ids: string[],
  ): Promise<{ targets: SendTarget[]; problems: { destinationId: string; error: Error }[] }> {
    const tested = await Promise.all(
      ids.map(async (destinationId): Promise<SendTarget | { destinationId: string; error: Error }> => {
        try {
          const outcome = await preflight(() => this.open(organizationId, destinationId), reachMs);
          if (!outcome.ok) throw new Error(outcome.reason);
          return { destinationId, storage: await this.open(organizationId, destinationId) };
        } catch (error) {
          return { destinationId, error: error as Error };
        }
      }),
    );
    return {
      targets: tested.filter((each) => 'storage' in each),
      problems: tested.filter((each) => 'error' in each),
    };
  }

  /** Opens one for a task, and closes it. */
  async use<T>(organizationId: string, id: string, task: (storage: Storage) => Promise<T>): Promise<T> {
    const storage = await this.open(organizationId, id);
    try {
      return await task(storage);
    } finally {
      await storage.close();
    }
  }
}
