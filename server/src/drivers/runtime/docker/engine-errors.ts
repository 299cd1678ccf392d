/** The engine answered, and said no. */
export class EngineError extends Error {
  override name = 'EngineError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The engine cannot be reached, or was gone before it had answered: what was asked for may or may not have happened. */
export class EngineAwayError extends Error {
  override name = 'EngineAwayError';

  constructor(cause: unknown) {
    super(`the container engine does not answer: ${(cause as Error).message}`, { cause });
  }
}

/** The engine does not have the image any more; it has to be built or pulled again. */
export class ImageMissingError extends Error {
  override name = 'ImageMissingError';

  constructor(image: string, imageId: string) {
    super(`the image ${image} (${imageId}) is not there any more`);
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
