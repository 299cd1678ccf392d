/** The engine responded with an error. */
export class EngineError extends Error {
  override name = 'EngineError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const notFound = 404;
/** Missing, or being removed right now. */
export const goneOrGoing = [notFound, 409];

/** Returns the result of the task, or undefined when the engine has no such object. */
export async function undefinedIfGone<T>(task: Promise<T>, missing: number[] = [notFound]): Promise<T | undefined> {
  try {
    return await task;
  } catch (error) {
    if (error instanceof EngineError && missing.includes(error.status)) return undefined;
    throw error;
  }
}

/** Throws on an error in the output of a pull or import: the engine sends status 200 before it knows the result. */
export function throwStreamError(output: string, otherwise: string): void {
  const error = /"error":("(?:[^"\\]|\\.)*")/.exec(output)?.[1];
  if (error) throw new Error(`${otherwise}: ${JSON.parse(error) as string}`);
}
