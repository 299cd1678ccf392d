import type { RuntimeEvent } from '../runtime.ts';
import type { EngineEvent } from './engine/types.ts';
import { ownerInLabels } from './labels.ts';

type ContainerEvent = Exclude<RuntimeEvent, { what: 'engine-there' }>;

/** Converts an engine event; undefined for those that do not matter. */
export function runtimeEvent({ Action, Actor, timeNano }: EngineEvent, instanceId: string): ContainerEvent | undefined {
  const owner = ownerInLabels(Actor.Attributes, instanceId);
  if (!owner) return undefined;
  const at = Math.floor(timeNano / 1e6);
  if (Action === 'start') return { what: 'started', owner, at };
  if (Action === 'oom') return { what: 'out-of-memory', owner, at };
  if (Action === 'die') return { what: 'ended', owner, at, exitCode: Number(Actor.Attributes['exitCode']) };
  if (Action === 'health_status: healthy') return { what: 'healthy', owner, at };
  if (Action === 'health_status: unhealthy') return { what: 'unhealthy', owner, at };
  return undefined;
}
