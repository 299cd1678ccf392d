import type { IncomingHttpHeaders } from 'node:http';
import { isGitHostError } from '../../../drivers/githost/errors.ts';
import { parseWebhook } from '../../../drivers/githost/github/webhooks/events.ts';
import { isSigned } from '../../../drivers/githost/github/webhooks/signature.ts';
import type { GitHostEvent } from '../../../drivers/githost/webhook-events.ts';

/** Whose secret an announcement was signed with: the app's, or that of one repository's webhook. */
export type Signer = 'app' | { repositoryId: number };

type Secrets = { app: string | undefined; ofRepository: (id: number) => Promise<string[]> };

/** Beyond this nobody's bytes are parsed before they are proven to be the host's. */
const largestUnproven = 1_000_000;

/** Who has signed exactly these bytes; undefined when it was none of them. */
export async function signerOf(
  headers: IncomingHttpHeaders,
  body: Buffer,
  { app, ofRepository }: Secrets,
): Promise<Signer | undefined> {
  const signature = headers['x-hub-signature-256'];
  const repositoryId = targetOf(headers) ?? repositoryIn(headers, body);
  const own = repositoryId === undefined ? [] : await ofRepository(repositoryId);
  const isApps = isSigned(body, signature, app ? [app] : []);
  if (isSigned(body, signature, own)) return { repositoryId: repositoryId! };
  return isApps ? 'app' : undefined;
}

/** A webhook of a repository speaks for that repository, and for nothing else. */
export function speaksFor(signer: Signer, event: GitHostEvent): boolean {
  if (signer === 'app' || event.type === 'other') return true;
  const repository = 'repository' in event ? event.repository : undefined;
  // A ping of old versions names none.
  return repository === null || repository?.id === signer.repositoryId;
}

/** The host says which repository a webhook is of. */
function targetOf(headers: IncomingHttpHeaders): number | undefined {
  if (headers['x-github-hook-installation-target-type'] !== 'repository') return undefined;
  const id = headers['x-github-hook-installation-target-id'];
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/** Only to know which secret to try. */
function repositoryIn(headers: IncomingHttpHeaders, body: Buffer): number | undefined {
  if (body.length > largestUnproven) return undefined;
  try {
    const event = parseWebhook(String(headers['x-github-event'] ?? ''), body, headers['content-type']);
    const id = 'repository' in event ? event.repository?.id : undefined;
    return Number.isSafeInteger(id) ? id : undefined;
  } catch (error) {
    if (isGitHostError(error, 'invalid')) return undefined;
    throw error;
  }
}
