import { setTimeout as sleep } from 'node:timers/promises';
import { splitLines } from '../../host/lines.ts';
import type { RunOnce } from '../runtime.ts';
import type { EngineClient } from '../docker/engine/client.ts';
import { goneOrGoing, undefinedIfGone } from '../docker/engine/errors.ts';
import { logFrames } from '../docker/logs/frames.ts';
import type { OwnService, OwnServices } from './own-services.ts';
import { untilTaskRuns } from './task-waits.ts';
import { hasTaskEnded } from './types.ts';

type Options = Parameters<RunOnce>[1];

const everyMs = 200;

/** Waits for the only task of a service to end, and passes its output on. */
export async function runTask(
  engine: EngineClient,
  services: OwnServices,
  service: OwnService,
  { signal, onLine, deadlineMs }: Options,
): Promise<{ exitCode: number }> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
  const { tasks } = await untilTaskRuns(services, service);
  const reading = readerOf(engine, tasks[0]!.ID, onLine);
  for (;;) {
    stop.throwIfAborted();
    await reading.more();
    const [task] = await services.tasksOf(service);
    if (!task) throw new Error('its service was removed while it ran');
    if (hasTaskEnded(task)) {
      await reading.more();
      reading.end();
      const { ExitCode } = task.Status.ContainerStatus ?? {};
      if (ExitCode === undefined) throw new Error(task.Status.Err ?? 'its node does not report how it ended');
      return { exitCode: ExitCode };
    }
    await sleep(everyMs, undefined, { signal: stop });
  }
}

/** Reads the output so far, each line once. */
function readerOf(engine: EngineClient, taskId: string, onLine: Options['onLine']) {
  const lines = {
    stdout: splitLines((line) => onLine(line, 'stdout')),
    stderr: splitLines((line) => onLine(line, 'stderr')),
  };
  const read = { stdout: 0, stderr: 0 };
  const query = { stdout: true, stderr: true, timestamps: true };
  return {
    async more() {
      const log = await undefinedIfGone(
        engine.open({ method: 'GET', path: `/tasks/${taskId}/logs`, query }),
        goneOrGoing,
      );
      if (!log) return;
      const seen = { stdout: 0, stderr: 0 };
      for await (const { stream, content } of logFrames(log))
        if (++seen[stream] > read[stream]) {
          read[stream] = seen[stream];
          lines[stream].push(content);
        }
    },
    end() {
      lines.stdout.end();
      lines.stderr.end();
    },
  };
}
