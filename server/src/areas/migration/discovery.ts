import { surveyEngine, type EngineSurvey } from '../../drivers/runtime/docker/survey/survey.ts';
import { forbidden, notFound } from '../../errors.ts';
import type { Db } from '../../db/database.ts';
import type { Caller } from '../../http/caller.ts';
import { limitConcurrency } from '../../lib/concurrency.ts';
import type { ServersArea } from '../servers/area.ts';
import { visibleServer } from '../servers/port.ts';
import { withScannedMachine, type ScannedMachine } from './scan/scanned-machine.ts';
import { foundServices, type FoundService } from './stack/found-services.ts';

/** A machine and its containers. */
export interface DiscoveredServices {
  survey: EngineSurvey;
  services: FoundService[];
}

// Limits memory: a scan may be large.
const atOnce = 4;

type Options = { db: Db; servers: Pick<ServersArea, 'access'>; dockerHost: string; deadlineMs: number };

/** Scans servers for callers with the permission. */
export class Discovery {
  readonly #options: Options;
  readonly #inTurn = limitConcurrency(atOnce);

  constructor(options: Options) {
    this.#options = options;
  }

  /** Checks the permission before connecting. */
  async on<T>(
    caller: Caller,
    serverId: string,
    task: (found: DiscoveredServices, machine: ScannedMachine) => Promise<T>,
  ): Promise<T> {
    const { db, servers, dockerHost, deadlineMs } = this.#options;
    const { kind } = await visibleServer(db, caller, serverId, 'write');
    if (kind === 'this_machine' && !caller.isInstanceOwner)
      throw forbidden('only the instance owner can scan this machine');
    const access = await servers.access(caller.organization.id, serverId);
    if (!access) throw notFound('server');
    const look = async (machine: ScannedMachine) => {
      const survey = await surveyEngine(machine.client, machine.signal);
      return task({ survey, services: foundServices(survey.containers) }, machine);
    };
    return this.#inTurn(() => withScannedMachine(access, { dockerHost, deadlineMs }, look));
  }
}
