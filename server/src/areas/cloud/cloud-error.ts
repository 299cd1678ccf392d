import { z } from 'zod';
import type { CloudJson } from '../../drivers/cloud/cloud-client.ts';
import { cloudUnreachable } from '../../drivers/cloud/cloud-client.ts';
import { AppError, type ErrorCode } from '../../errors.ts';

const Refusal = z.object({
  error: z.string().max(2000),
  code: z.string().max(100).optional(),
  message: z.string().max(2000).optional(),
  details: z
    .array(z.object({ field: z.string(), message: z.string() }))
    .max(100)
    .optional(),
});

/** What stands for a status where the cloud has words that we do not know. */
const codeOf: Record<number, ErrorCode> = {
  400: 'bad_request',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  429: 'rate_limited',
};

/** The cloud's no as our own: with its status and its words. */
export function cloudRefusal({ status, body }: CloudJson): AppError {
  const code = codeOf[status];
  const said = Refusal.safeParse(body);
  if (!said.success) return cloudUnreachable(`answers with status ${status}`);
  // What keeps it from doing anything now: whoever asks may have to wait for just that.
  if (!code) return cloudUnreachable(`answers with status ${status}: ${said.data.message ?? said.data.error}`);
  const { error, message, details } = said.data;
  // A project of that name, or a limit that is reached, would be looked for here.
  const extra = { message: message ?? 'response of the cloud', ...(details && { details }) };
  // Its own word, where we mean the same by it.
  const own = new AppError(said.data.code as ErrorCode, error, extra);
  return own.status === status ? own : new AppError(code, error, extra);
}
