import type { ContainerHealthcheck, ImageRelease } from '../../runtime.ts';
import type { ImageInfo } from '../engine/types.ts';

const none = { Healthcheck: { Test: ['NONE'] } };

/** Returns the health check settings that override those of the image. */
export function healthcheckOf(
  { healthcheck, leastHealthIntervalMs = 0 }: Pick<ImageRelease, 'healthcheck' | 'leastHealthIntervalMs'>,
  { Config }: ImageInfo,
): object {
  if (healthcheck === null) return none;
  const own = Config?.Healthcheck;
  const [kind, ...words] = healthcheck?.command.length ? ['CMD', ...healthcheck.command] : (own?.Test ?? []);
  // Some engines crash, with all their containers, on an empty command; a built image cannot have one, a pulled one
  // can.
  if (kind === 'CMD' && !words.length) return none;
  const given = healthcheck && settingsOf(healthcheck);
  const raised = atLeast(leastHealthIntervalMs * 1e6, {
    Interval: given?.Interval || (own?.Interval ?? 0),
    StartInterval: own?.StartInterval ?? 0,
  });
  return given || Object.keys(raised).length ? { Healthcheck: { ...given, ...raised } } : {};
}

/** Without a command the image's own is used, and 0 keeps the image's value. */
const settingsOf = ({ command, intervalMs, timeoutMs, retries, startPeriodMs }: ContainerHealthcheck) => ({
  Test: command.length ? ['CMD', ...command] : [],
  Interval: intervalMs * 1e6,
  Timeout: timeoutMs * 1e6,
  Retries: retries,
  StartPeriod: startPeriodMs * 1e6,
});

/** Raises those below the minimum. 0 is the engine's default of 30 seconds. */
const atLeast = (least: number, pauses: Record<string, number>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(pauses).flatMap(([name, pause]) => (pause !== 0 && pause < least ? [[name, least]] : [])),
  );
