import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import {
  type ProcessEnvironment,
  fetchLatest,
  readUpdateRequest,
  readUpdateStatus,
  requestFile,
  statusFile,
} from '../areas/instance/port.ts';
import type { Config } from '../config.ts';
import { StartError } from '../errors.ts';
import { lockFile } from '../lib/lock-file.ts';
import { replaceFile } from '../lib/replace-file.ts';
import { compareVersions, areComparable, notComparableText, versionPattern } from '../lib/version-order.ts';
import { findInstallation, type Installation } from './update/installation.ts';
import { createJournal, type UpdateJournal, readJournal, removeJournal } from './update/journal.ts';
import { copyBundle, versionOfBundle } from './update/release-files.ts';
import { type ServiceControl, systemd } from './update/service-control.ts';
import { Updater, type UpdaterDeps } from './update/updater.ts';

const healthMs = 30_000;
const steadyMs = 2000;
const followMs = 150;
/** systemd restarts a killed updater after a few seconds. */
const patienceMs = 30_000;

type Context = {
  config: Config;
  /** With proxy settings. */
  environment: ProcessEnvironment;
  /** Folder of the running program: `/opt/mooring/<version>`, or a checkout. */
  release: string;
  version: string;
  /** One JSON object per line, for the command line. */
  print: (line: object) => void;
};

/** `mooring update`: checks for a version, or starts the updater and follows it. With `--run` it is the updater. */
export async function update(args: string[], context: Context): Promise<void> {
  const { config, release, version, print, environment } = context;
  const { values } = parseArgs({
    args,
    options: {
      check: { type: 'boolean' },
      run: { type: 'boolean' },
      to: { type: 'string' },
      bundle: { type: 'string' },
    },
  });
  if (values.check) return print(await check(context));
  const installation = findInstallation(release, config);
  if (values.run) return runUpdater(installation, config, environment);
  const to = values.to?.replace(/^v/, '');
  if (to !== undefined && !versionPattern.test(to))
    throw new StartError(`--to: ${to} is not a version such as 1.2.3 or 1.2.3-rc.1`);
  const journal = await prepare(installation, context, { ...values, to });
  if (!journal) return print({ type: 'current', version });
  await systemd.startUpdater().catch((error: Error) => {
    if (!journal.attempts) removeJournal(installation.state);
    throw new StartError(`mooring-update.service cannot be started: ${error.message}`, { cause: error });
  });
  await follow(installation, journal, systemd, print);
}

async function check({ version, ...context }: Context): Promise<object> {
  const { version: latest, changelogUrl } = await latestOf(context);
  const note = areComparable(latest, version) ? null : notComparableText(latest, version);
  const isNewer = note === null && compareVersions(latest, version) > 0;
  return { type: 'check', version, latestVersion: latest, isNewer, isOrdered: note === null, note, changelogUrl };
}

async function latestOf({ config: { updateUrl }, environment }: Pick<Context, 'config' | 'environment'>) {
  if (updateUrl === 'none')
    throw new StartError('MOORING_UPDATE_URL is not set, so there is nowhere to look; use --bundle <file>');
  return fetchLatest(updateUrl, environment).catch((error: Error) => {
    throw new StartError(error.message, { cause: error });
  });
}

/** Writes the journal of a new update. Returns that of an unfinished one, and undefined if there is nothing to do. */
async function prepare(
  { state, version }: Installation,
  context: Context,
  { to, bundle }: { to?: string | undefined; bundle?: string | undefined },
): Promise<UpdateJournal | undefined> {
  const asked = bundle === undefined ? to : versionOfBundle(bundle);
  if (to !== undefined && asked !== to) throw new StartError(`--to: the bundle is ${asked}, not ${to}`);
  const unfinished = readJournal(state);
  if (unfinished) return sameUpdate(unfinished, asked);
  const target = asked ?? (await latestOf(context)).version;
  const isOrdered = areComparable(target, version);
  if (!isOrdered && asked === undefined) throw new StartError(notComparableText(target, version));
  const isOlder = isOrdered && compareVersions(target, version) < 0;
  if (target === version || (asked === undefined && isOlder)) return undefined;
  if (isOlder && to === undefined)
    throw new StartError(`${target} is older than the installed ${version}; add --to ${target} to install it`);
  if (bundle !== undefined) copyBundle(state, resolve(bundle), target);
  const source = bundle === undefined ? 'download' : 'bundle';
  const isExplicit = to !== undefined || !isOrdered;
  createJournal(state, { from: version, to: target, source, requestedBy: 'cli', isExplicit });
  return sameUpdate(readJournal(state)!, target);
}

function sameUpdate(journal: UpdateJournal, asked: string | undefined): UpdateJournal {
  if (asked === undefined || asked === journal.to) return journal;
  throw new StartError(`an update to ${journal.to} is running; wait until it has ended`);
}

/** Prints the steps until the update has ended. It goes on without us. */
async function follow(
  { state, dataDir }: Installation,
  { startedAt, to }: UpdateJournal,
  control: ServiceControl,
  print: (line: object) => void,
): Promise<void> {
  let shown = '';
  let printed = 0;
  for (let seenAt = Date.now(); ; await sleep(followMs)) {
    const isOver = readJournal(state)?.startedAt !== startedAt;
    const status = readUpdateStatus(dataDir);
    if (status?.startedAt === startedAt) {
      for (const step of status.steps.slice(Math.max(0, printed - 1))) {
        const text = JSON.stringify(step);
        if (text !== shown) print({ type: 'step', ...step });
        shown = text;
      }
      printed = status.steps.length;
      if (isOver && status.state !== 'running') return print({ type: 'outcome', ...status });
    }
    if (isOver) throw new StartError('the updater left no status; see: journalctl -u mooring-update');
    if (await control.isUpdaterRunning()) seenAt = Date.now();
    else if (Date.now() - seenAt > patienceMs)
      throw new StartError(`the update to ${to} does not continue; see: journalctl -u mooring-update`);
  }
}

/** The updater itself, started by systemd: for a journal, or for a request of the dashboard. */
async function runUpdater(installation: Installation, config: Config, environment: ProcessEnvironment): Promise<void> {
  const { state, versions, version } = installation;
  const journal = readJournal(state) ?? journalOfRequest(installation);
  if (!journal) return;
  // Once `current` has been switched, systemd starts the new version's updater. Only the one that began the update
  // knows its journal, and the new version may be broken.
  const before = join(versions, journal.from);
  if (journal.from !== version && existsSync(before)) return continueWith(before);
  const lock = lockFile(join(state, 'updater.lock'), () => new StartError('another updater is running'));
  try {
    const report = statusReporter(config, (line) => process.stdout.write(line));
    const deps = { installation, config, environment, control: systemd, healthMs, steadyMs, report };
    await new Updater(deps, journal, readUpdateStatus(config.dataDir)).run();
  } finally {
    lock.release();
  }
}

/** Returns undefined without a request, and for one that makes no sense. */
function journalOfRequest({ state, version, dataDir }: Installation): UpdateJournal | undefined {
  try {
    const to = readUpdateRequest(dataDir)?.version;
    if (to === undefined) return undefined;
    if (areComparable(to, version) && compareVersions(to, version) > 0)
      createJournal(state, { from: version, to, source: 'download', requestedBy: 'dashboard', isExplicit: false });
    else rmSync(requestFile(dataDir), { force: true });
    return readJournal(state);
  } catch (error) {
    process.stderr.write(`mooring: the request for an update is ignored: ${(error as Error).message}\n`);
    rmSync(requestFile(dataDir), { force: true });
    return undefined;
  }
}

async function continueWith(release: string): Promise<void> {
  const args = ['--enable-source-maps', join(release, 'server', 'dist', 'maintenance.js'), 'update', '--run'];
  const child = spawn(join(release, 'bin', 'node'), args, { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
}

/** Writes the status that the service and the command line show. A full disk must not end the update. */
export function statusReporter(
  { dataDir }: Pick<Config, 'dataDir'>,
  say: (line: string) => void,
): UpdaterDeps['report'] {
  const [file, draft] = [statusFile(dataDir), `${statusFile(dataDir)}.new`];
  return (status) => {
    try {
      // The outcome must survive a power failure: it tells the next updater that nothing is left to do.
      if (status.state !== 'running') replaceFile(file, JSON.stringify(status), 0o644);
      else {
        writeFileSync(draft, JSON.stringify(status), { mode: 0o644 });
        renameSync(draft, file);
      }
    } catch (error) {
      process.stderr.write(`mooring: ${file} was not written: ${(error as Error).message}\n`);
    }
    say(`${status.state}: ${status.reason ?? status.steps.at(-1)?.message ?? status.to}\n`);
  };
}
