/** The build was not even tried, or stopped for what it is about to do: the sentence says why. Trying again does not help. */
export class BuildRefusedError extends Error {
  override name = 'BuildRefusedError';
}

/** An instruction failed. */
export class BuildFailedError extends Error {
  override name = 'BuildFailedError';
  /** As `RUN npm ci`; undefined if the engine did not say. */
  readonly instruction: string | undefined;
  /** Of a RUN. */
  readonly exitCode: number | undefined;
  /** What it printed at the end. */
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

/** 128 + SIGKILL is how the end of a process looks that wanted more memory than there was. */
const hintOf = (exitCode: string): string => (exitCode === '137' ? ': killed, probably out of memory' : '');

/** The time for a build or pull was over. */
export class ImageTimeoutError extends Error {
  override name = 'ImageTimeoutError';

  constructor(what: string, deadlineMs: number) {
    super(`${what} took longer than ${deadlineMs / 1000} s`);
  }
}

/** The registry did not give the image. */
export class PullFailedError extends Error {
  override name = 'PullFailedError';
}

/** A folder of an image that cannot be copied: it is not there, or holds what we do not unpack. */
export class CopyOutError extends Error {
  override name = 'CopyOutError';
}
