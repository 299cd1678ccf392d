import type { SupervisedApp } from './supervised-app.ts';
import { membersOf } from '../../host/process-tree.ts';
import { proportionalBytes, residentBytes } from '../../host/processes.ts';
import type { WriterLog } from '../records/log-writer.ts';

const graceMs = 2_000;
const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`;

/** Kills the app when it exceeds its memory limit. Polls, so a fast app can exceed it for a moment; a hard limit
 * needs a container. */
export function watchMemory(app: SupervisedApp, limitBytes: number, everyMs: number, report: WriterLog): void {
  let times = 0;
  let ending = false;
  const look = async () => {
    const used =
      app.tree && !ending
        ? memoryAbove(
            limitBytes,
            membersOf(app.tree).map(({ pid }) => pid),
          )
        : 0;
    if (!used) return;
    ending = true;
    times++;
    app.say(`stopped: it used ${megabytes(used)} of memory, the limit is ${megabytes(limitBytes)}`);
    app.notice(
      'It was stopped for using too much memory',
      `${times === 1 ? 'once' : `${times} times`}; the limit is ${megabytes(limitBytes)}.`,
    );
    await app.end(graceMs);
  };
  setInterval(() => {
    look()
      .catch((error) => report('the memory cannot be watched', error))
      .finally(() => (ending = false));
  }, everyMs).unref();
}

/** Returns the memory in use if it is above the limit, else 0. The exact figure is expensive, so it is read only when
 * the cheap one, which counts shared pages for every process, is too high. */
function memoryAbove(limitBytes: number, pids: number[]): number {
  const sum = (measure: (pid: number) => number) => pids.reduce((total, pid) => total + measure(pid), 0);
  if (sum(residentBytes) <= limitBytes) return 0;
  const used = sum(proportionalBytes);
  return used > limitBytes ? used : 0;
}
