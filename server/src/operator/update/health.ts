import { setTimeout as sleep } from 'node:timers/promises';
import { crashExcerpt } from '../../areas/deployments/model/crash-excerpt.ts';
import type { Config } from '../../config.ts';
import { migrationLines as linesOfMigrations } from '../../db/migrate.ts';
import type { ServiceControl } from './service-control.ts';
import { UpdateError } from './update-error.ts';

const pollMs = 50;
const answerMs = 2000;
const mostCrashes = 3;
const mostMigrationMs = 30 * 60_000;

type Wait = {
  version: string;
  config: Pick<Config, 'host' | 'port'>;
  control: ServiceControl;
  /** When the version was started. */
  since: number;
  /** Counts from the end of the migrations of the database. */
  withinMs: number;
  /** It must keep answering that long: it may crash when its work starts. */
  steadyMs: number;
  /** Called at the first answer. */
  onAnswer: () => void;
  /** Called with the line that the service has printed last about its migrations, after each `withinMs`. */
  onMigration: (line: string) => void;
};

/** Waits until the service answers as this version. Fails early if it keeps crashing. */
export async function untilHealthy(wait: Wait): Promise<void> {
  const { version, config, control, since, withinMs, steadyMs, onAnswer, onMigration } = wait;
  let end = Date.now() + withinMs;
  let migrationLines = 0;
  let healthySince: number | undefined;
  let seen: string | undefined;
  for (; ; await sleep(pollMs)) {
    seen = await answeredVersion(config);
    if (seen === version) {
      if (healthySince === undefined) onAnswer();
      healthySince ??= Date.now();
      if (Date.now() - healthySince >= steadyMs) return;
    } else healthySince = undefined;
    const crashes = await control.restarts();
    if (crashes >= mostCrashes) throw await failure(`${version} crashed ${crashes} times while it started`, true);
    if (Date.now() <= end || healthySince !== undefined) continue;
    if (seen === undefined && (await isMigrating())) end = Date.now() + withinMs;
    else
      throw await failure(
        seen === undefined
          ? `${version} did not answer /api/health within ${withinMs / 1000} s`
          : `the service still answers as ${seen} after ${withinMs / 1000} s`,
        false,
      );
  }

  /** Whether a migration runs, or has ended since the last call. */
  async function isMigrating(): Promise<boolean> {
    const texts = Object.values(linesOfMigrations);
    const found = (await control.log(since)).filter((line) => texts.some((text) => line.startsWith(text)));
    const last = found.at(-1);
    const hasProgress = found.length > migrationLines;
    migrationLines = found.length;
    if (last === undefined || Date.now() - since > mostMigrationMs) return false;
    onMigration(last);
    return hasProgress || last.startsWith(linesOfMigrations.running);
  }

  /** The last output explains a crash, but says nothing about a version that hangs. */
  async function failure(what: string, isCrash: boolean): Promise<UpdateError> {
    const excerpt = crashExcerpt((await control.log(since)).map(messageOf));
    if (!excerpt || !(isCrash || excerpt.isError)) return new UpdateError(what);
    return new UpdateError(`${what}: ${excerpt.reason}`, { lines: excerpt.lines });
  }
}

/** The address in the settings, not the one in the data folder: the service's user must not choose it. */
async function answeredVersion({ host, port }: Pick<Config, 'host' | 'port'>): Promise<string | undefined> {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  try {
    const signal = AbortSignal.timeout(answerMs);
    const response = await fetch(`http://${name}:${port}/api/health`, { signal });
    return ((await response.json()) as { version?: string }).version;
  } catch {
    return undefined;
  }
}

/** Log lines are JSON; their message is what people read. */
function messageOf(line: string): string {
  try {
    const { msg } = JSON.parse(line) as { msg?: unknown };
    return typeof msg === 'string' ? msg : line;
  } catch {
    return line;
  }
}
