import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { replaceFile } from '../../lib/replace-file.ts';
import { parseEnvironmentFile } from '../environment-file.ts';
import { UpdateError } from './update-error.ts';

/** The service and the updater as the machine's init system runs them. */
export interface ServiceControl {
  /** Does not wait until the service is ready. */
  start(): Promise<void>;
  /** Resolves when the service has exited. Apps and the edge keep running. A service that drains takes longer. */
  stop(drainSeconds: number): Promise<void>;
  /** Crashes since the last start. */
  restarts(): Promise<number>;
  /** Output of the service since a time in milliseconds. */
  log(since: number): Promise<string[]>;
  /** Replaces the units by those of an unpacked release. They apply from the next start on. */
  placeUnits(release: string): Promise<void>;
  /** While the machine shuts down, nothing can be started. */
  isShuttingDown(): Promise<boolean>;
  startUpdater(): Promise<void>;
  isUpdaterRunning(): Promise<boolean>;
}

const run = promisify(execFile);
const service = 'mooring.service';
const updater = 'mooring-update.service';
const requests = 'mooring-update.path';
/** The service stops within 5 s after it has drained; a hanging version is killed. */
const stopMs = 15_000;

export const systemd: ServiceControl = {
  async start() {
    // A version that crashed often must not count against the next one.
    await run('systemctl', ['reset-failed', service]).catch(() => {});
    await run('systemctl', ['start', '--no-block', service]);
  },
  async stop(drainSeconds) {
    // Only the main process: the edge and the apps are in the same control group.
    const kill = () => void run('systemctl', ['kill', '--kill-who=main', '--signal=KILL', service]).catch(() => {});
    const impatience = setTimeout(kill, stopMs + drainSeconds * 1000);
    await run('systemctl', ['stop', service]).finally(() => clearTimeout(impatience));
  },
  async restarts() {
    const { stdout } = await run('systemctl', ['show', '--property=NRestarts', '--value', service]);
    return Number(stdout.trim());
  },
  async log(since) {
    // Not `--unit`, which adds systemd's own messages about the unit.
    const from = `@${(since / 1000).toFixed(3)}`;
    const args = [`_SYSTEMD_UNIT=${service}`, `--since=${from}`, '--output=cat', '--no-pager', '--lines=400'];
    const { stdout } = await run('journalctl', args, { maxBuffer: 32 * 1024 * 1024 });
    return stdout.split('\n');
  },
  async placeUnits(release) {
    const properties = ['FragmentPath', 'User', 'NeedDaemonReload'].map((name) => `--property=${name}`);
    const { stdout } = await run('systemctl', ['show', ...properties, requests, updater, service]);
    // The last one, which is the service, wins.
    const { FragmentPath: unit, User: user } = parseEnvironmentFile(stdout);
    if (!unit) throw new UpdateError(`systemd has no ${service}; run install.sh again`);
    const files: Record<string, string> = {
      [service]: service,
      [updater]: updater,
      [requests]: requests,
      // As install.sh chose: with processes, the service runs as root.
      'mooring.service.d/runtime.conf': user ? 'docker.conf' : 'process.conf',
    };
    // An updater that was killed may have replaced them without a reload.
    let needsReload = stdout.includes('NeedDaemonReload=yes');
    for (const [to, from] of Object.entries(files)) {
      const target = join(dirname(unit), to);
      const text = readFileSync(join(release, 'units', from), 'utf8');
      if (existsSync(target) && readFileSync(target, 'utf8') === text) continue;
      mkdirSync(dirname(target), { recursive: true });
      replaceFile(target, text, 0o644);
      needsReload = true;
    }
    if (needsReload) await run('systemctl', ['daemon-reload']);
  },
  async isShuttingDown() {
    // Its exit code is 0 only for `running`.
    const { stdout } = await run('systemctl', ['is-system-running']).catch((error: { stdout: string }) => error);
    return stdout.trim() === 'stopping';
  },
  async startUpdater() {
    await run('systemctl', ['reset-failed', updater]).catch(() => {});
    await run('systemctl', ['start', '--no-block', updater]);
  },
  async isUpdaterRunning() {
    const { stdout } = await run('systemctl', ['show', '--property=ActiveState', '--value', updater]);
    return ['active', 'activating', 'reloading', 'deactivating'].includes(stdout.trim());
  },
};
