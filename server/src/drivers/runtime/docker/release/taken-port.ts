import { PortTakenError } from '../../errors.ts';
import type { ImageRelease } from '../../runtime.ts';
import { EngineError } from '../engine/errors.ts';

/** Returns the host port that another process holds, from the engine's error; undefined for any other failure. */
export function portTakenByOther(error: unknown, spec: ImageRelease, ownPort: number): number | undefined {
  const named = portsRefused(error);
  return named && (named.find((port) => port === ownPort || isFixedPort(spec, port)) ?? (ownPort || undefined));
}

/** Converts the failed restart of a container to a PortTakenError if another process holds its port. */
export function portTakenError(error: unknown, ownPort: number): unknown {
  return portsRefused(error)?.includes(ownPort) ? new PortTakenError(ownPort, error) : error;
}

/** Returns the ports in the engine's error; undefined for an unrelated one. */
function portsRefused(error: unknown): number[] | undefined {
  if (!(error instanceof EngineError)) return undefined;
  const { message } = error;
  if (!/port is already allocated|address already in use|ports are not available/i.test(message)) return undefined;
  return [...message.matchAll(/:(\d{1,5})\b/g)].map(([, digits]) => Number(digits));
}

/** Whether the release requests this port itself, so that no other will do. */
export const isFixedPort = ({ port: asked, service }: ImageRelease, port: number): boolean =>
  port === asked || (service?.ports.some(({ published: { from, to } }) => from <= port && port <= to) ?? false);
