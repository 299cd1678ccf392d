import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { redactor } from '../../../lib/redact.ts';
import { redactingStream } from '../../../lib/redact-stream.ts';

const passedOn = ['content-type', 'retry-after'] as const;

/** Returns the body and the headers to pass on, with the link's token redacted in case the cloud echoes it. */
export function redactedResponse(
  answer: IncomingMessage,
  token: string,
): { headers: Record<string, string>; body: Readable } {
  const redact = redactor([token]);
  const headers = passedOn.flatMap((name) => {
    const value = answer.headers[name];
    return value === undefined ? [] : [[name, redact(value)] as const];
  });
  // Errors reach the reader; closing the reader closes the response.
  const body = pipeline(answer, redactingStream([token]), () => {});
  return { headers: Object.fromEntries(headers), body };
}
