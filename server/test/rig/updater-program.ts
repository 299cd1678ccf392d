import { join } from 'node:path';
import { readConfig } from '../../src/config.ts';
import { readUpdateStatus, type UpdateStatus } from '../../src/areas/instance/port.ts';
import { statusReporter } from '../../src/operator/update.ts';
import { findInstallation } from '../../src/operator/update/installation.ts';
import { readJournal } from '../../src/operator/update/journal.ts';
import { systemd } from '../../src/operator/update/service-control.ts';
import { Updater } from '../../src/operator/update/updater.ts';

// The updater, which kills itself at the beginning of a phase or a moment later, and can wait less for health.
const { versions, state, killIn, afterMs, healthMs } = JSON.parse(process.argv[2]!) as {
  versions: string;
  state: string;
  killIn: string | null;
  afterMs: number;
  healthMs: number;
};
const config = readConfig(process.env);
const journal = readJournal(state);
// Killed after its end.
if (!journal) process.exit(0);
const installation = findInstallation(join(versions, journal.from), config);
const report = statusReporter(config, (line) => process.stdout.write(line));
const kill = () => process.kill(process.pid, 'SIGKILL');
const deps = {
  installation,
  config,
  environment: process.env,
  control: systemd,
  healthMs,
  steadyMs: 500,
  report(status: UpdateStatus) {
    report(status);
    const phase = status.state === 'running' ? status.steps.at(-1)?.phase : 'end';
    if (phase !== killIn) return;
    if (afterMs) setTimeout(kill, afterMs);
    else kill();
  },
};
await new Updater(deps, journal, readUpdateStatus(config.dataDir)).run();
