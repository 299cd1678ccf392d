import type { WriterLog } from '../records/log-writer.ts';
import type { RuntimeEvent } from '../runtime.ts';
import { EngineAwayError } from '../errors.ts';
import type { Watcher } from './engine/event-watch.ts';
import type { LogRecorders } from './logs/recorders.ts';
import type { OwnContainers } from './own-containers.ts';
import { runtimeEvent } from './runtime-events.ts';

export interface WatcherParts {
  instanceId: string;
  containers: OwnContainers;
  recorders: LogRecorders;
  onEvent?: (event: RuntimeEvent) => void;
  report: WriterLog;
}

/** Handles the engine's events: records output and notifies the listener. */
export function containersWatcher({ instanceId, containers, recorders, onEvent, report }: WatcherParts): Watcher {
  const record = async (containerId: string) => {
    const found = await containers.find(containerId);
    if (found) recorders.record(found);
  };
  return {
    async onConnected() {
      for (const container of await containers.list()) recorders.record(container);
      onEvent?.({ what: 'engine-there' });
    },
    onEvent(event) {
      const seen = runtimeEvent(event, instanceId);
      if (!seen) return;
      if (seen.what === 'out-of-memory') recorders.noteOutOfMemory(event.Actor.ID);
      if (seen.what === 'started')
        record(event.Actor.ID).catch((error: unknown) => {
          // On reconnect all containers are checked.
          if (!(error instanceof EngineAwayError)) report('output of an app is not recorded', error);
        });
      onEvent?.(seen);
    },
    onAway: (error) => report('the container engine is away', error),
  };
}
