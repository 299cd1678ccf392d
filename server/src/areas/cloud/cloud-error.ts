import { z } from '../../lib/zod/index.ts';
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

/** Error code for a status, if the cloud's own code is unknown here. */
const codeOf: Record<number, ErrorCode> = {
  400: 'bad_request',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  429: 'rate_limited',
};

/** Converts an error response of the cloud to an AppError with its status and message. */
export function cloudRefusal({ status, body }: CloudJson): AppError {
  const code = codeOf[status];
  const said = Refusal.safeParse(body);
  if (!said.success) return cloudUnreachable(`answers with status ${status}`);
  // Includes the cloud's reason, since the caller may have to wait for it.
  if (!code) return cloudUnreachable(`answers with status ${status}: ${said.data.message ?? said.data.error}`);
  const { error, message, details } = said.data;
  // Marks it as the cloud's response: users would otherwise look for the conflict or limit on this instance.
  const extra = { message: message ?? 'response of the cloud', ...(details && { details }) };
  // Keeps the cloud's code if it has the same status here.
  const own = new AppError(said.data.code as ErrorCode, error, extra);
  return own.status === status ? own : new AppError(code, error, extra);
}
