import type { IncomingMessage } from 'node:http';
import { z } from '../../../lib/zod/index.ts';
import { httpGet } from '../../../lib/http/get.ts';
import { versionPattern } from '../../../lib/version-order.ts';

const fetchMs = 15_000;
const mostBytes = 10_000;

const latestFile = z.object({
  version: z.string().regex(versionPattern),
  /** Absolute, or relative to the release folder. */
  changelog: z.string().optional(),
});

export type LatestRelease = { version: string; changelogUrl: string | null };

/** Address of a file in the release folder. */
export const releaseUrl = (base: string, name: string): URL => new URL(name, base.endsWith('/') ? base : `${base}/`);

/** Variables with proxy settings. */
export type ProcessEnvironment = Record<string, string | undefined>;

/** Returns the newest release at MOORING_UPDATE_URL. */
export async function fetchLatest(base: string, environment: ProcessEnvironment): Promise<LatestRelease> {
  const url = releaseUrl(base, 'latest.json');
  const signal = AbortSignal.timeout(fetchMs);
  const response = await httpGet(url, { environment, signal, stalledMs: fetchMs }).catch((error: unknown) => {
    throw new Error(`cannot reach ${url.host}: ${requestFailureReason(error)}`, { cause: error });
  });
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`${url.href} responds with status ${response.statusCode}`);
  }
  const text = await smallText(response, url);
  const found = latestFile.safeParse(parsed(text));
  if (!found.success) throw new Error(`${url.href} names no version`);
  const { version, changelog } = found.data;
  return { version, changelogUrl: changelog ? webAddress(changelog, base) : null };
}

/** Says why a request failed. An error of several addresses has no message of its own. */
export function requestFailureReason(error: unknown): string {
  const { name, message, code, cause } = error as NodeJS.ErrnoException;
  const isLate = name === 'TimeoutError' || (cause as Error | undefined)?.name === 'TimeoutError';
  return isLate ? 'it did not respond in time' : message || String(code);
}

async function smallText(response: IncomingMessage, { href }: URL): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk;
    if (text.length > mostBytes) throw new Error(`${href} is too long`);
  }
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Only web addresses: the dashboard links to it. */
function webAddress(text: string, base: string): string | null {
  const url = URL.parse(text, releaseUrl(base, '').href);
  return url && /^https?:$/.test(url.protocol) ? url.href : null;
}
