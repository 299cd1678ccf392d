import type { IncomingHttpHeaders } from 'node:http';
import { isGitHostError } from '../../../drivers/githost/errors.ts';
import { parseWebhook } from '../../../drivers/githost/github/webhooks/events.ts';
import { isSigned } from '../../../drivers/githost/github/webhooks/signature.ts';
import type { GitHostEvent } from '../../../drivers/githost/webhook-events.ts';

/** Owner of the matching secret: the app, or the webhook of one repository. */
export type Signer = 'app' | { repositoryId: number };

type Secrets = { app: string | undefined; ofRepository: (id: number) => Promise<string[]> };

/** Larger bodies are not parsed before their signature is verified. */
const largestUnproven = 1_000_000;

/** Returns the owner of the secret that signed these bytes; undefined if none did. */
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

/** The webhook of a repository may report about that repository only. */
export function mayReportAbout(signer: Signer, event: GitHostEvent): boolean {
  if (signer === 'app' || event.type === 'other') return true;
  const repository = 'repository' in event ? event.repository : undefined;
  // Pings of old versions name no repository.
  return repository === null || repository?.id === signer.repositoryId;
}

/** Returns the repository of the webhook from the headers. */
function targetOf(headers: IncomingHttpHeaders): number | undefined {
  if (headers['x-github-hook-installation-target-type'] !== 'repository') return undefined;
  const id = headers['x-github-hook-installation-target-id'];
  return typeof id === 'string' && /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/** Used only to select the secret. */
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
