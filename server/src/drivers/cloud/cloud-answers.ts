import type { IncomingMessage } from 'node:http';
import { AppError } from '../../errors.ts';

/** The response did not come from a Mooring cloud. */
class ForeignAnswerError extends Error {}

/** Rejects responses of a proxy in front of a cloud that is down. */
export function requireCloudResponse(answer: IncomingMessage): IncomingMessage {
  const status = answer.statusCode!;
  const type = answer.headers['content-type'] ?? '';
  const isOurs = status === 204 || /^(application\/json|text\/event-stream|text\/plain)\b/.test(type);
  const isKnown = (status >= 200 && status < 300) || (status >= 400 && status < 600);
  if (isOurs && isKnown && status !== 401) return answer;
  // The body may be endless.
  answer.destroy();
  if (status === 401 && isOurs)
    throw new AppError('cloud_refused', 'the cloud rejects the token of the link; link it again');
  throw new ForeignAnswerError(`answers with status ${status} which is not a response of a Mooring cloud`);
}

export const cloudFailureText = (error: unknown): string =>
  error instanceof ForeignAnswerError ? error.message : 'cannot be reached';

export const cloudUnreachable = (what: string, cause?: unknown) => away(`the cloud ${what}; try again`, cause);

/** The request was sent, but its outcome is unknown. */
export const cloudUnanswered = (what: string, cause: unknown) =>
  away(`the cloud ${what}; the request may have succeeded: check before you retry`, cause);

const away = (message: string, cause: unknown) =>
  new AppError('cloud_unreachable', 'cloud_unreachable', { message, cause });
