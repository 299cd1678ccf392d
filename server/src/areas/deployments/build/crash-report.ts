import type { Instance, Runtime } from '../../../drivers/runtime/runtime.ts';
import { type CrashExcerpt, crashExcerpt, keptOutput } from '../model/crash-excerpt.ts';
import type { StepContext } from '../model/step.ts';

type Log = (line: string, level?: 'info' | 'warn' | 'error', stream?: 'stdout' | 'stderr') => void;

const shownLines = 20;

/** What an app or service has printed last goes to the log of the deployment; gives what of it explains why it failed. */
export async function reportOutput(
  runtime: Runtime,
  { deploymentId, service }: { deploymentId: string; service?: string },
  log: Log,
): Promise<CrashExcerpt | null> {
  const lines = await runtime.logs(deploymentId, { tail: keptOutput, ...(service !== undefined && { service }) });
  const excerpt = crashExcerpt(lines.map(({ line }) => line));
  // A long stack trace has its first line, which explains it, far above its last ones.
  const from = Math.max(0, Math.min(lines.length - shownLines, excerpt?.at ?? Infinity));
  for (const { line, stream } of lines.slice(from)) log(line, 'error', stream);
  return excerpt;
}

/** `crashed 3 times in 4 s (exit code 1)`, or `exited (exit code 1)` for one that is not started again. */
export function crashSentence(instance: Instance, sinceMs: number): string {
  const { restarts } = instance;
  if (restarts === 0 && instance.state === 'exited') return `exited (${exitText(instance)})`;
  const times = Math.max(1, restarts) + (instance.state === 'exited' ? 1 : 0);
  const often = times === 1 ? 'crashed' : `crashed ${times} times`;
  return `${often} in ${Math.max(1, Math.round((Date.now() - sinceMs) / 1000))} s (${exitText(instance)})`;
}

export const exitText = ({ exitSignal, exitCode }: Pick<Instance, 'exitSignal' | 'exitCode'>): string =>
  exitSignal ? `ended by ${exitSignal}` : exitCode === null ? 'unknown exit code' : `exit code ${exitCode}`;

/** With the reason behind it, where the output has one. */
export const withReason = (message: string, excerpt: CrashExcerpt | null): string =>
  excerpt ? `${message}: ${excerpt.reason}` : message;

/** Remembers the last lines that pass, so that a failure can be explained by them. */
export function rememberLines(log: StepContext['log']): {
  log: StepContext['log'];
  excerpt: () => CrashExcerpt | null;
} {
  const lines: string[] = [];
  return {
    log: (line, ...rest) => {
      lines.push(line);
      if (lines.length > 2 * keptOutput) lines.splice(0, keptOutput);
      log(line, ...rest);
    },
    excerpt: () => crashExcerpt(lines),
  };
}
