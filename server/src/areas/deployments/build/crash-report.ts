import type { Instance, Runtime } from '../../../drivers/runtime/runtime.ts';
import { type CrashExcerpt, crashExcerpt, keptOutput } from '../model/crash-excerpt.ts';
import type { StepContext } from '../model/step.ts';

type Log = (line: string, level?: 'info' | 'warn' | 'error', stream?: 'stdout' | 'stderr') => void;

const shownLines = 20;

/** Logs the last output of an app or service; returns the excerpt that explains why it failed. */
export async function reportOutput(
  runtime: Runtime,
  { deploymentId, service }: { deploymentId: string; service?: string },
  log: Log,
): Promise<CrashExcerpt | null> {
  const lines = await runtime.logs(deploymentId, { tail: keptOutput, ...(service !== undefined && { service }) });
  const excerpt = crashExcerpt(lines.map(({ line }) => line));
  // The first line of a long stack trace, which explains it, is far above the last ones.
  const from = Math.max(0, Math.min(lines.length - shownLines, excerpt?.at ?? Infinity));
  for (const { line, stream } of lines.slice(from)) log(line, 'error', stream);
  return excerpt;
}

/** `crashed 3 times in 4 s (exit code 1)`, `exited 3 times in 4 s (exit code 0)`, or `exited (exit code 1)` if it is not restarted. */
export function crashSentence(instance: Instance, sinceMs: number): string {
  const { restarts } = instance;
  if (restarts === 0 && instance.state === 'exited') return `exited (${exitText(instance)})`;
  const times = Math.max(1, restarts) + (instance.state === 'exited' ? 1 : 0);
  // Code 0 is no crash: the command did its work.
  const verb = instance.exitCode === 0 ? 'exited' : 'crashed';
  const often = times === 1 ? verb : `${verb} ${times} times`;
  return `${often} in ${Math.max(1, Math.round((Date.now() - sinceMs) / 1000))} s (${exitText(instance)})`;
}

export const exitText = ({ exitSignal, exitCode }: Pick<Instance, 'exitSignal' | 'exitCode'>): string =>
  exitSignal ? `ended by ${exitSignal}` : exitCode === null ? 'unknown exit code' : `exit code ${exitCode}`;

/** Appends the reason from the output, if there is one. */
export const withReason = (message: string, excerpt: CrashExcerpt | null): string =>
  excerpt ? `${message}: ${excerpt.reason}` : message;

/** Keeps the last log lines, so that they can explain a failure. */
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
