/** An expected failure of an update, shown without a stack. */
export class UpdateError extends Error {
  override name = 'UpdateError';
  /** Log lines that explain it. */
  readonly lines: string[];

  constructor(message: string, { lines = [], ...options }: ErrorOptions & { lines?: string[] } = {}) {
    super(message, options);
    this.lines = lines;
  }
}
