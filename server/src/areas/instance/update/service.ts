import { existsSync, statSync } from 'node:fs';
import { type Db, inTransaction } from '../../../db/database.ts';
import { badRequest, conflict, forbidden } from '../../../errors.ts';
import type { SignedIn } from '../../../http/caller.ts';
import type { Log } from '../../../lib/log.ts';
import { replaceFile } from '../../../lib/replace-file.ts';
import { PeriodicTask } from '../../../lib/periodic-task.ts';
import { compareVersions, areComparable, notComparableText } from '../../../lib/version-order.ts';
import { recordAuditInAllOrganizations } from '../../access/port.ts';
import { readUpdateRequest, readUpdateStatus, requestFile, updateFolder, type UpdateStatus } from './files.ts';
import { type ProcessEnvironment, fetchLatest, type LatestRelease } from './latest.ts';

const dayMs = 24 * 60 * 60_000;
/** systemd starts the updater at once. */
const pickUpMs = 60_000;

export type UpdateMethod = 'dashboard' | 'image' | 'checkout';
type UpdateRun = Omit<UpdateStatus, 'state'> & { state: UpdateStatus['state'] | 'requested' };

export type UpdateOverview = {
  version: string;
  latestVersion: string | null;
  isNewer: boolean;
  changelogUrl: string | null;
  checkedAt: number | null;
  checkError: string | null;
  method: UpdateMethod;
  update: UpdateRun | null;
};

type Options = {
  db: Db;
  version: string;
  dataDir: string;
  updateUrl: string;
  environment: ProcessEnvironment;
  log: Log;
};

/** Looks for a newer version once a day, and passes the owner's request to the updater. Never updates by itself. */
export class Updates {
  readonly #options: Options;
  readonly #checks: PeriodicTask;
  #latest: LatestRelease | undefined;
  #checkedAt: number | null = null;
  #checkError: string | null = null;

  constructor(options: Options) {
    this.#options = options;
    this.#checks = new PeriodicTask({
      everyMs: dayMs,
      round: () => this.#check(),
      warn: (message) => options.log.warn(`no check for a new version: ${message}`),
    });
  }

  start(): void {
    if (this.#options.updateUrl !== 'none') this.#checks.start();
  }

  stop(): Promise<void> {
    return this.#checks.stop();
  }

  overview(caller: SignedIn): UpdateOverview {
    requireOwner(caller);
    const { version } = this.#options;
    const latest = this.#latest?.version ?? null;
    return {
      version,
      latestVersion: latest,
      isNewer: latest !== null && areComparable(latest, version) && compareVersions(latest, version) > 0,
      changelogUrl: this.#latest?.changelogUrl ?? null,
      checkedAt: this.#checkedAt,
      checkError: this.#checkError,
      method: this.#method(),
      update: this.#run(),
    };
  }

  async request(caller: SignedIn, to: string): Promise<UpdateOverview> {
    requireOwner(caller);
    const { db, version, dataDir } = this.#options;
    const method = this.#method();
    if (method !== 'dashboard') throw conflict(elsewhere[method]);
    if (!areComparable(to, version)) throw badRequest(notComparableText(to, version), 'version');
    const order = compareVersions(to, version);
    if (!order) throw badRequest(`${to} is already installed`, 'version');
    if (order < 0)
      throw badRequest(
        `${to} is older than the installed ${version}; run mooring update --to ${to} on the machine`,
        'version',
      );
    const run = this.#run();
    if (run?.state === 'requested' || run?.state === 'running')
      throw conflict(`an update to ${run.to} is already running`);
    await inTransaction(db, (trx) =>
      recordAuditInAllOrganizations(trx, caller, {
        action: 'instance.update_requested',
        details: { from: version, to },
      }),
    );
    replaceFile(requestFile(dataDir), `${JSON.stringify({ version: to })}\n`);
    return this.overview(caller);
  }

  async #check(): Promise<void> {
    try {
      this.#latest = await fetchLatest(this.#options.updateUrl, this.#options.environment);
      this.#checkError = null;
    } catch (error) {
      this.#checkError = (error as Error).message;
      throw error;
    } finally {
      this.#checkedAt = Date.now();
    }
  }

  /** install.sh creates the updater's folder together with its units. */
  #method(): UpdateMethod {
    if (existsSync(updateFolder(this.#options.dataDir))) return 'dashboard';
    return existsSync('/.dockerenv') || existsSync('/run/.containerenv') ? 'image' : 'checkout';
  }

  #run(): UpdateRun | null {
    try {
      return this.#requested() ?? readUpdateStatus(this.#options.dataDir) ?? null;
    } catch (error) {
      this.#options.log.warn(`the state of the last update cannot be read: ${(error as Error).message}`);
      return null;
    }
  }

  /** The updater removes the request when it starts. */
  #requested(): UpdateRun | undefined {
    const { dataDir, version } = this.#options;
    const asked = statSync(requestFile(dataDir), { throwIfNoEntry: false });
    const to = readUpdateRequest(dataDir)?.version;
    if (!asked || !to) return undefined;
    const run = { from: version, to, startedAt: asked.mtimeMs, steps: [], lines: [], awayMs: null };
    const isIgnored = Date.now() - asked.mtimeMs > pickUpMs;
    return isIgnored
      ? { ...run, state: 'failed', endedAt: asked.mtimeMs + pickUpMs, reason: ignored }
      : { ...run, state: 'requested', endedAt: null, reason: null };
  }
}

const ignored = 'the updater did not start; see: systemctl status mooring-update.path mooring-update.service';

const elsewhere: Record<Exclude<UpdateMethod, 'dashboard'>, string> = {
  image: 'this instance runs from a container image; pull the new image and recreate the container',
  checkout: 'this instance was not installed with install.sh; update its checkout, see docs/operations/update.md',
};

function requireOwner({ isInstanceOwner }: SignedIn): void {
  if (!isInstanceOwner) throw forbidden('only the instance owner may see and start updates');
}
