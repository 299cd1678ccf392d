import { z } from '../../../lib/zod/index.ts';
import type { CloudJson } from '../../../drivers/cloud/cloud-client.ts';
import { cloudUnreachable } from '../../../drivers/cloud/cloud-client.ts';
import { type GitHostCode, GitHostError } from '../../../drivers/githost/errors.ts';
import { AppError } from '../../../errors.ts';

const Refusal = z.object({ error: z.string(), code: z.string(), message: z.string().optional() });

/** Error codes of the git host by the cloud's code. */
const codeOf: Record<string, GitHostCode> = {
  not_found: 'not_found',
  not_connected: 'unauthorized',
  forbidden: 'forbidden',
  rate_limited: 'rate_limited',
  git_host_unavailable: 'unavailable',
  conflict: 'conflict',
  bad_request: 'invalid',
};
const longestReason = 300;
const pauseMs = 60_000;

/** Converts an error response of the cloud to the error that the git host would have caused. */
export function hostRefusal({ status, body }: CloudJson, token: string): GitHostError | AppError {
  const said = Refusal.safeParse(body);
  const code = said.success ? codeOf[said.data.code] : undefined;
  if (!said.success || !code) return cloudUnreachable(`answers with status ${status}`);
  const sentence = (said.data.message ?? said.data.error).replaceAll(token, '[hidden]').slice(0, longestReason);
  return new GitHostError(code, sentence, code === 'rate_limited' ? { retryAt: Date.now() + pauseMs } : {});
}

/** Users of the app only handle errors of the git host. */
export function asGitHostError(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const { code, message, extra } = error;
  const isRefused = code === 'cloud_refused' || code === 'cloud_not_linked';
  return new GitHostError(isRefused ? 'unauthorized' : 'unavailable', extra.message ?? message, { cause: error });
}
