import type { Db } from '../../../db/database.ts';
import { withWrittenFiles } from '../../../drivers/runtime/docker/survey/survey.ts';
import type { Caller } from '../../../http/caller.ts';
import { selectTakenOver } from '../adoptions/store.ts';
import { readComposeFiles } from '../compose-files/read-all.ts';
import type { Discovery } from '../discovery.ts';
import { presentScannedStack } from '../stack/present-scanned-stack.ts';
import { withWrittenFilesOf } from '../stack/found-services.ts';
import type { ScannedStack } from '../stack/schemas.ts';

/** Scans servers. Changes nothing there. */
export class Scans {
  readonly #db: Db;
  readonly #discovery: Discovery;

  constructor(db: Db, discovery: Discovery) {
    this.#db = db;
    this.#discovery = discovery;
  }

  async scan(caller: Caller, serverId: string): Promise<ScannedStack> {
    const found = await this.#discovery.on(caller, serverId, async ({ survey, services }, machine) => ({
      survey,
      services: await withWrittenFilesOf(services, (all) => withWrittenFiles(machine.client, all, machine.signal)),
      files: await readComposeFiles((look) => machine.withFiles(look), services),
    }));
    return presentScannedStack({ serverId, ...found, taken: await selectTakenOver(this.#db) });
  }
}
