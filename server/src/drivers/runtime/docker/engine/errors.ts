/** The engine answered, and said no. */
export class EngineError extends Error {
  override name = 'EngineError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const notFound = 404;
/** It is not there, or is being removed at this moment. */
export const goneOrGoing = [notFound, 409];

/** What the task gives, or undefined when the engine has no such thing. */
export async function ifThere<T>(task: Promise<T>, missing: number[] = [notFound]): Promise<T | undefined> {
  try {
    return await task;
  } catch (error) {
    if (error instanceof EngineError && missing.includes(error.status)) return undefined;
    throw error;
  }
}
