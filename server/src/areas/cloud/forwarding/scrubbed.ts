import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { redactor } from '../../../lib/redact.ts';
import { redactingStream } from '../../../lib/redact-stream.ts';

const passedOn = ['content-type', 'retry-after'] as const;

/** What is passed on of an answer: all of its body, and the few headers that say what it is. A cloud that says the token back
 * tells it to us alone. */
export function scrubbed(answer: IncomingMessage, token: string): { headers: Record<string, string>; body: Readable } {
  const hide = redactor([token]);
  const headers = passedOn.flatMap((name) => {
    const value = answer.headers[name];
    return value === undefined ? [] : [[name, hide(value)] as const];
  });
  // Whoever reads it is told what went wrong; who stops reading stops the answer too.
  const body = pipeline(answer, redactingStream([token]), () => {});
  return { headers: Object.fromEntries(headers), body };
}
