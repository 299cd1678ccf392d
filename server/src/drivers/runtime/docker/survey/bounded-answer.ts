import type { z } from '../../../../lib/zod/index.ts';
import { EngineAwayError } from '../../errors.ts';
import type { EngineClient } from '../engine/client.ts';

/** The endpoint is not a container engine, or its responses are too large. */
export class NotAnEngineError extends Error {
  override name = 'NotAnEngineError';
}

/** Bytes that are left for all responses of one survey. */
export interface AnswerAllowance {
  bytes: number;
}

type Ask = { path: string; query?: Record<string, string | number | boolean | object>; signal: AbortSignal };

/** Returns a validated response. Its size and time are bounded. */
export async function surveyRequest<T extends z.ZodType>(
  client: EngineClient,
  schema: T,
  { path, query, signal }: Ask,
  allowance: AnswerAllowance,
): Promise<z.output<T>> {
  const answer = await client.open({ method: 'GET', path, ...(query && { query }), signal });
  // A response that stalls is aborted.
  const stop = () => answer.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return checked(schema, await wholeOf(answer, allowance), path);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function wholeOf(answer: AsyncIterable<Buffer>, allowance: AnswerAllowance): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of answer) {
      allowance.bytes -= chunk.length;
      if (allowance.bytes < 0) throw new NotAnEngineError('the response of the engine is too large');
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof NotAnEngineError ? error : new EngineAwayError(error);
  }
  return Buffer.concat(chunks).toString();
}

function checked<T extends z.ZodType>(schema: T, body: string, path: string): z.output<T> {
  const strange = `the service at this address is not a container engine: ${path} has an unexpected format`;
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    throw new NotAnEngineError(strange, { cause: error });
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new NotAnEngineError(strange, { cause: result.error });
}
