import { PortTakenError } from '../../errors.ts';
import type { ImageRelease } from '../../runtime.ts';
import { EngineError } from '../engine/errors.ts';

/** Which port of the machine somebody else has, by what the engine says of a start that failed. Undefined for any other
 * failure. */
export function portTakenByOther(error: unknown, spec: ImageRelease, ownPort: number): number | undefined {
  const named = portsRefused(error);
  return named && (named.find((port) => port === ownPort || isFixedPort(spec, port)) ?? (ownPort || undefined));
}

/** Why a container that was made before does not start, in words that say that somebody else has the port which we chose. */
export function portTakenError(error: unknown, ownPort: number): unknown {
  return portsRefused(error)?.includes(ownPort) ? new PortTakenError(ownPort, error) : error;
}

/** The ports that the engine names; undefined when the failure is about something else. */
function portsRefused(error: unknown): number[] | undefined {
  if (!(error instanceof EngineError)) return undefined;
  const { message } = error;
  if (!/port is already allocated|address already in use|ports are not available/i.test(message)) return undefined;
  return [...message.matchAll(/:(\d{1,5})\b/g)].map(([, digits]) => Number(digits));
}

/** Whether the release says itself that it is to be this one: then no other will do. */
export const isFixedPort = ({ port: asked, service }: ImageRelease, port: number): boolean =>
  port === asked || (service?.ports.some(({ published: { from, to } }) => from <= port && port <= to) ?? false);
