import { copyFileSync, fstatSync, ftruncateSync, writeSync } from 'node:fs';

export type EdgeLog = (message: string) => void;

const standardError = 2;
const mostBytes = 1_000_000;

/** Lines on standard error, which is a file. It is kept bounded: what is full becomes `<file>.1`. */
export function createEdgeLog(file: string): EdgeLog {
  let size = fstatSync(standardError).size;
  return (message) => {
    const line = `${new Date().toISOString()} ${message.replaceAll('\n', '\n  ')}\n`;
    try {
      if (size > mostBytes) {
        copyFileSync(file, `${file}.1`);
        ftruncateSync(standardError, 0);
        size = 0;
      }
      size += writeSync(standardError, line);
    } catch {
      // A full disk takes the log, not the traffic.
    }
  };
}

export const describeError = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** For what is worth a line in the log and nothing more. */
export const logFailure =
  (log: EdgeLog, what: string) =>
  (error: unknown): void =>
    log(`${what}: ${describeError(error)}`);
