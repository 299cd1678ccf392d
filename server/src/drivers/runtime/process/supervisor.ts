import { readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { redactor } from '../../../lib/redact.ts';
import { LogWriter, type WriterLog } from '../records/log-writer.ts';
import { watchMemory } from './memory-watch.ts';
import { SupervisedApp } from './supervised-app.ts';
import { graceFile, type SupervisorSpec, usualGraceMs } from './supervisor-spec.ts';

// One detached process per app, so that the app outlives the service. SIGTERM stops the app and the supervisor,
// SIGUSR2 restarts the app. Standard error goes to a file beside the state.

const standardError = 2;

const report: WriterLog = (what, error) => {
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  try {
    writeSync(standardError, `${new Date().toISOString()} ${what}: ${cause}\n`);
  } catch {
    // The disk is full: the error cannot be logged, and the app must go on.
  }
};
process.on('SIGHUP', () => {});

/** Returns undefined when the parent died before it sent the whole task: then nothing was started. */
async function readSpec(): Promise<SupervisorSpec | undefined> {
  const received = await text(process.stdin);
  return received.endsWith('\n') ? (JSON.parse(received) as SupervisorSpec) : undefined;
}

function readGrace(folder: string): number {
  try {
    const ms = Number(readFileSync(join(folder, graceFile), 'utf8'));
    rmSync(join(folder, graceFile), { force: true });
    return Number.isFinite(ms) ? ms : usualGraceMs;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') report('the stop timeout cannot be read', error);
    return usualGraceMs;
  }
}

async function supervise(spec: SupervisorSpec): Promise<void> {
  const { folder, limits, record } = spec;
  const { env, secretKeys } = spec.app;
  const redact = redactor(secretKeys.flatMap((key) => env[key] ?? []));
  const logs = new LogWriter(folder, limits, report, redact);
  const app = new SupervisedApp(spec, logs, report);
  const stop = (graceMs: number) => void app.stop(graceMs).catch((error) => report('the app does not stop', error));
  process.on('SIGTERM', () => stop(readGrace(folder)));
  process.on('SIGINT', () => stop(readGrace(folder)));
  process.on('SIGUSR2', () => void app.restart().catch((error) => report('the app does not restart', error)));
  // Without a supervisor the app would be orphaned, so stop it.
  process.on('uncaughtException', (error) => {
    report('the supervisor has failed', error);
    stop(usualGraceMs);
  });
  if (record.memoryLimitBytes) watchMemory(app, record.memoryLimitBytes, limits.memoryCheckMs, report);
  await app.run();
  logs.flush();
}

/** No top-level await: bundled as CommonJS, it starts faster and uses less memory. */
async function main(): Promise<void> {
  const spec = await readSpec();
  if (spec) await supervise(spec);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    report('the supervisor has failed', error);
    process.exit(1);
  },
);
