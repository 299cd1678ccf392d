/** The build was rejected or stopped because of its request; the message says why. A retry does not help. */
export class BuildRefusedError extends Error {
  override name = 'BuildRefusedError';
}

/** An instruction failed. */
export class BuildFailedError extends Error {
  override name = 'BuildFailedError';
  /** Such as `RUN npm ci`; undefined if the engine did not name it. */
  readonly instruction: string | undefined;
  /** Of a RUN. */
  readonly exitCode: number | undefined;
  /** Its last lines of output. */
  readonly lastLines: string[];
  /** The engine's disk is full. */
  readonly diskFull: boolean;

  constructor(reason: string, { instruction, lastLines = [] }: { instruction?: string; lastLines?: string[] } = {}) {
    const exitCode = /exit code: (\d+)/.exec(reason)?.[1];
    const ended = exitCode && `${instruction ?? 'the build'} failed (exit code ${exitCode}${hintOf(exitCode)})`;
    super([ended ?? (instruction ? `${instruction}: ${reason}` : reason), ...lastLines].join('\n'));
    this.instruction = instruction;
    this.exitCode = exitCode === undefined ? undefined : Number(exitCode);
    this.lastLines = lastLines;
    this.diskFull = /no space left on device|disk quota exceeded/i.test([reason, ...lastLines].join('\n'));
  }
}

/** 128 + SIGKILL is typical for a process killed by the OOM killer. */
const hintOf = (exitCode: string): string => (exitCode === '137' ? ': killed, probably out of memory' : '');

/** A build or pull exceeded its deadline. */
export class ImageTimeoutError extends Error {
  override name = 'ImageTimeoutError';

  constructor(what: string, deadlineMs: number) {
    super(`${what} took longer than ${deadlineMs / 1000} s`);
  }
}

/** The registry did not deliver the image. */
export class PullFailedError extends Error {
  override name = 'PullFailedError';
}

/** A folder of an image cannot be copied: it is missing or contains unsupported entries. */
export class CopyOutError extends Error {
  override name = 'CopyOutError';
}
