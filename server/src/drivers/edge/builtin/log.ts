import { copyFileSync, fstatSync, ftruncateSync, writeSync } from 'node:fs';

export type EdgeLog = (message: string) => void;

const standardError = 2;
const mostBytes = 1_000_000;

/** Writes lines to standard error, which is a file. Rotates it to `<file>.1` when it is full. */
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
      // A full disk must not stop traffic.
    }
  };
}

export const describeError = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** Logs an error that needs no other handling. */
export const logFailure =
  (log: EdgeLog, what: string) =>
  (error: unknown): void =>
    log(`${what}: ${describeError(error)}`);
