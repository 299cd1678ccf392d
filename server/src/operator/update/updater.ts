import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessEnvironment, requestFile, type UpdateStatus } from '../../areas/instance/port.ts';
import type { Config } from '../../config.ts';
import { isDiskFull } from '../../db/database.ts';
import { compareVersions } from '../../lib/version-order.ts';
import { untilHealthy } from './health.ts';
import { currentVersion, type Installation, switchCurrent } from './installation.ts';
import { type UpdateJournal, type UpdatePhase, removeJournal, writeJournal } from './journal.ts';
import { bundleFile, checkDigest, downloadRelease, forgetDownload, signedDigest } from './release-files.ts';
import { removeOldSnapshots, removeOldVersions, removeUnused } from './retention.ts';
import type { ServiceControl } from './service-control.ts';
import { snapshotsOf } from './snapshot.ts';
import { megabytesRoundedUp, requireUpdateSpace } from './space.ts';
import { unpackBundle, unpackedSize } from './unpack.ts';
import { UpdateError } from './update-error.ts';

const mostAttempts = 8;
const goBackHealthMs = 60_000;
/** How long connections of a version that was killed may last. */
const endingMs = 10_000;

export type UpdaterDeps = {
  installation: Installation;
  config: Pick<Config, 'host' | 'port' | 'databaseUrl' | 'updateUrl' | 'dataDir' | 'drainSeconds'>;
  /** With proxy settings. */
  environment: ProcessEnvironment;
  control: ServiceControl;
  /** How long the new version may take to answer, after the migrations of the database. */
  healthMs: number;
  /** How long it must keep answering. */
  steadyMs: number;
  /** Called with every change of the status. */
  report: (status: UpdateStatus) => void;
};

const order: UpdatePhase[] = ['fetch', 'verify', 'unpack', 'stop', 'snapshot', 'switch', 'start', 'check', 'clean'];
/** In these phases the service still runs untouched. */
const harmless: UpdatePhase[] = ['fetch', 'verify', 'unpack'];

/** Runs an update from its journal, from the beginning or from wherever another updater was killed. Each phase can run
 * again. Ends with one whole version running. */
export class Updater {
  readonly #deps: UpdaterDeps;
  readonly #journal: UpdateJournal;
  readonly #status: UpdateStatus;
  /** When the version that runs now was started. */
  #startedAt = Date.now();

  constructor(deps: UpdaterDeps, journal: UpdateJournal, before: UpdateStatus | undefined) {
    const { from, to, startedAt } = journal;
    this.#deps = deps;
    this.#journal = journal;
    this.#status =
      before?.startedAt === startedAt
        ? before
        : { state: 'running', from, to, startedAt, endedAt: null, steps: [], reason: null, lines: [], awayMs: null };
  }

  async run(): Promise<UpdateStatus> {
    this.#deps.report(this.#status);
    // Otherwise systemd would start the updater for it again.
    if (this.#journal.requestedBy === 'dashboard') rmSync(requestFile(this.#deps.config.dataDir), { force: true });
    // Killed after it had finished: going back again would undo what has been written since.
    if (this.#status.state !== 'running') removeJournal(this.#deps.installation.state);
    try {
      if (this.#status.state === 'running') this.#resume();
      while (this.#status.state === 'running') await this.#advance();
    } catch (error) {
      if (harmless.includes(this.#journal.phase) && isDiskFull(error)) {
        this.#finish('failed', error);
        return this.#status;
      }
      // The next updater continues. Until then a version must run, whichever `current` is; but not while going back,
      // when the next attempt restores the database.
      if (!harmless.includes(this.#journal.phase) && this.#journal.phase !== 'go_back')
        await this.#deps.control.start();
      throw error;
    }
    return this.#status;
  }

  /** A killed updater, or a reboot that started the service, may have left any state. */
  #resume(): void {
    const journal = this.#journal;
    journal.attempts++;
    if (harmless.includes(journal.phase)) journal.phase = 'fetch';
    else if (['stop', 'snapshot', 'switch'].includes(journal.phase)) {
      // Once `current` has been switched, the new version may have run, and the snapshot must stay as it is.
      const isSwitched = journal.phase === 'switch' && currentVersion(this.#deps.installation) === journal.to;
      if (!isSwitched) Object.assign(journal, { phase: 'stop', snapshot: null, mayHaveRun: false });
    } else if (journal.phase === 'check') journal.phase = 'start';
    this.#save();
    if (journal.attempts <= mostAttempts || journal.phase === 'go_back') return;
    const interrupted = new UpdateError(`the updater was interrupted ${journal.attempts} times`);
    if (harmless.includes(journal.phase)) this.#finish('failed', interrupted);
    else this.#goBackBecause(interrupted);
  }

  async #advance(): Promise<void> {
    const { phase } = this.#journal;
    try {
      await this.#phases[phase]();
    } catch (error) {
      if (phase === 'go_back') await this.#retryOrGiveUp(error);
      else if (phase === 'clean') this.#finish('updated', new UpdateError(`old files are left: ${messageOf(error)}`));
      else if (harmless.includes(phase)) this.#finish('failed', error);
      // The next updater continues after the boot.
      else if (await this.#deps.control.isShuttingDown()) throw error;
      else this.#goBackBecause(error);
      return;
    }
    if (this.#status.state !== 'running') return;
    const next = order[order.indexOf(phase) + 1];
    if (next) this.#enter(next);
    else this.#finish('updated');
  }

  readonly #phases: Record<UpdatePhase, () => Promise<void>> = {
    fetch: async () => {
      const { installation, config, environment } = this.#deps;
      const { to, source, from } = this.#journal;
      if (source === 'bundle') return;
      this.#step(`Downloading Mooring ${to}`);
      const key = join(installation.versions, from, 'release-key.pem');
      let shown = 0;
      const release = { state: installation.state, base: config.updateUrl, version: to, key, environment };
      await downloadRelease(release, (percent, bytes) => {
        if (percent < shown + 10) return;
        shown = percent;
        this.#step(`Downloading Mooring ${to} (${megabytesRoundedUp(bytes)}): ${percent} %`);
      });
    },
    verify: async () => {
      const { installation, config } = this.#deps;
      const { versions, state } = installation;
      const { from, to, isExplicit } = this.#journal;
      this.#step('Checking the signature and the disk space');
      if (compareVersions(to, from) < 0 && !isExplicit)
        throw new UpdateError(`${to} is older than the installed ${from}; use mooring update --to ${to}`);
      const file = bundleFile(state, to);
      await checkDigest(file, signedDigest(state, to, join(versions, from, 'release-key.pem')));
      const snapshots = snapshotsOf(config);
      requireUpdateSpace([
        { folder: versions, bytes: await unpackedSize(file) },
        { folder: state, bytes: snapshots.size() },
      ]);
      await snapshots.check();
    },
    unpack: async () => {
      const { versions, state } = this.#deps.installation;
      const { from, to } = this.#journal;
      this.#step(`Unpacking to ${join(versions, to)}`);
      const digest = signedDigest(state, to, join(versions, from, 'release-key.pem'));
      await unpackBundle({ versions, version: to, file: bundleFile(state, to), digest });
    },
    stop: async () => {
      this.#step(`Stopping ${this.#journal.from}; apps keep serving`);
      this.#journal.stoppedAt ??= Date.now();
      await this.#stop();
    },
    snapshot: async () => {
      const snapshots = snapshotsOf(this.#deps.config);
      const { from, to, startedAt } = this.#journal;
      const parent = join(this.#deps.installation.state, 'snapshots');
      const folder = join(parent, `${from}-to-${to}-${startedAt}`);
      this.#step(snapshots.message);
      // The service's user passes through to its own snapshots.
      mkdirSync(parent, { recursive: true, mode: 0o711 });
      this.#journal.isShared = await snapshots.isShared(0);
      await snapshots.take(folder);
      this.#journal.snapshot = folder;
    },
    switch: async () => {
      const { to } = this.#journal;
      this.#step(`Switching to ${to}`);
      this.#journal.mayHaveRun = true;
      this.#save();
      await this.#switchTo(to);
    },
    start: async () => {
      this.#step(`Starting ${this.#journal.to}`);
      await this.#start();
    },
    check: async () => {
      const { to } = this.#journal;
      this.#step(`Waiting until ${to} is healthy`);
      await this.#untilHealthy(to, this.#deps.healthMs);
    },
    clean: async () => {
      const { versions, state } = this.#deps.installation;
      const { from, to } = this.#journal;
      this.#step('Removing old versions');
      removeOldVersions(versions, to, from);
      removeOldSnapshots(join(state, 'snapshots'), Date.now());
    },
    go_back: async () => {
      const { config } = this.#deps;
      const { from, snapshot, mayHaveRun, failure } = this.#journal;
      this.#step(`Going back to ${from}: ${failure!.reason}`);
      await this.#stop();
      if (mayHaveRun && snapshot) {
        const snapshots = snapshotsOf(config);
        // A replica may have been away when the copy was taken.
        this.#journal.isShared ||= await snapshots.isShared(endingMs);
        if (!this.#journal.isShared) await snapshots.restore(snapshot);
      }
      await this.#switchTo(from);
      await this.#start();
      await this.#untilHealthy(from, goBackHealthMs).then(
        () => this.#finish(mayHaveRun ? 'went_back' : 'failed'),
        (error: unknown) => this.#finish('failed', this.#goingBackFailed(error)),
      );
    },
  };

  /** The units first: until `current` is switched, a killed updater begins again with the stopped service. */
  async #switchTo(version: string): Promise<void> {
    const { installation, control } = this.#deps;
    await control.placeUnits(join(installation.versions, version));
    switchCurrent(installation, version);
  }

  #stop(): Promise<void> {
    const { control, config } = this.#deps;
    return control.stop(config.drainSeconds);
  }

  async #start(): Promise<void> {
    this.#startedAt = Date.now();
    await this.#deps.control.start();
  }

  #untilHealthy(version: string, withinMs: number): Promise<void> {
    const { config, control, steadyMs } = this.#deps;
    const onAnswer = () => {
      this.#journal.awayMs ??= Date.now() - (this.#journal.stoppedAt ?? this.#startedAt);
    };
    const onMigration = (line: string) => this.#step(`Waiting until ${version} is healthy: ${line}`);
    const since = this.#startedAt;
    return untilHealthy({ version, config, control, since, withinMs, steadyMs, onAnswer, onMigration });
  }

  #goBackBecause(error: unknown): void {
    this.#journal.failure = { reason: this.#reasonOf(error), lines: linesOf(error) };
    this.#enter('go_back');
  }

  /** The next updater tries again, for example after a full disk, but not forever. */
  async #retryOrGiveUp(error: unknown): Promise<void> {
    if (this.#journal.attempts <= mostAttempts) throw error;
    await this.#deps.control.start();
    this.#finish('failed', this.#goingBackFailed(error));
  }

  #goingBackFailed(error: unknown): UpdateError {
    const { failure, from, snapshot, isShared } = this.#journal;
    const kept = isShared ? ' was not restored, because other replicas use it; a copy' : '';
    const copy = snapshot ? `; the database${kept} from before the update is in ${snapshot}` : '';
    const reason = `${failure!.reason}. Going back to ${from} failed too: ${messageOf(error)}${copy}`;
    return new UpdateError(reason, { lines: linesOf(error) });
  }

  /** Changes the phase only once it is written: on a full disk the previous one goes on. */
  #enter(phase: UpdatePhase): void {
    writeJournal(this.#deps.installation.state, { ...this.#journal, phase });
    this.#journal.phase = phase;
  }

  #save(): void {
    writeJournal(this.#deps.installation.state, this.#journal);
  }

  #reasonOf(error: unknown): string {
    if (!isDiskFull(error)) return messageOf(error);
    const { versions, state } = this.#deps.installation;
    const folder = this.#journal.phase === 'unpack' ? versions : state;
    return `the disk of ${folder} is full; free some space and run mooring update again`;
  }

  /** Adds a step, or replaces the message of the current one. */
  #step(message: string): void {
    const { phase } = this.#journal;
    const { steps } = this.#status;
    const last = steps.at(-1);
    if (last?.phase === phase) last.message = message;
    else steps.push({ phase, message, at: Date.now() });
    this.#deps.report(this.#status);
  }

  #finish(state: UpdateStatus['state'], error?: unknown): void {
    const { failure, awayMs, from, to } = this.#journal;
    const { versions, state: folder } = this.#deps.installation;
    const reason = error ? this.#reasonOf(error) : (failure?.reason ?? null);
    const lines = error ? linesOf(error) : (failure?.lines ?? []);
    Object.assign(this.#status, { state, endedAt: Date.now(), reason, lines, awayMs });
    forgetDownload(folder);
    // Useless, and in the way of a repaired bundle of the same version.
    const isLeftover = compareVersions(to, from) > 0 && currentVersion({ versions }) !== to;
    if (state !== 'updated' && isLeftover) removeUnused(join(versions, to));
    this.#deps.report(this.#status);
    removeJournal(folder);
  }
}

const messageOf = (error: unknown): string => (error as Error).message;
const linesOf = (error: unknown): string[] => (error instanceof UpdateError ? error.lines : []);
