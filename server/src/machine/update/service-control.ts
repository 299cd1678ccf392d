import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The service and the updater as the machine's init system runs them. */
export interface ServiceControl {
  /** Does not wait until the service is ready. */
  start(): Promise<void>;
  /** Resolves when the service has exited. Apps and the edge keep running. */
  stop(): Promise<void>;
  /** Crashes since the last start. */
  restarts(): Promise<number>;
  /** Output of the service since a time in milliseconds. */
  log(since: number): Promise<string[]>;
  startUpdater(): Promise<void>;
  isUpdaterRunning(): Promise<boolean>;
}

const run = promisify(execFile);
const service = 'mooring.service';
const updater = 'mooring-update.service';
/** The service stops within 5 s; a hanging version is killed. */
const stopMs = 15_000;

export const systemd: ServiceControl = {
  async start() {
    // A version that crashed often must not count against the next one.
    await run('systemctl', ['reset-failed', service]).catch(() => {});
    await run('systemctl', ['start', '--no-block', service]);
  },
  async stop() {
    // Only the main process: the edge and the apps are in the same control group.
    const kill = () => void run('systemctl', ['kill', '--kill-who=main', '--signal=KILL', service]).catch(() => {});
    const impatience = setTimeout(kill, stopMs);
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
  async startUpdater() {
    await run('systemctl', ['reset-failed', updater]).catch(() => {});
    await run('systemctl', ['start', '--no-block', updater]);
  },
  async isUpdaterRunning() {
    const { stdout } = await run('systemctl', ['show', '--property=ActiveState', '--value', updater]);
    return ['active', 'activating', 'reloading', 'deactivating'].includes(stdout.trim());
  },
};
