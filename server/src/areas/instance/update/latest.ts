import { z } from 'zod';
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

/** Returns the newest release at MOORING_UPDATE_URL. */
export async function fetchLatest(base: string): Promise<LatestRelease> {
  const url = releaseUrl(base, 'latest.json');
  const response = await fetch(url, { signal: AbortSignal.timeout(fetchMs) }).catch((error: unknown) => {
    throw new Error(`cannot reach ${url.host}: ${reasonOf(error)}`, { cause: error });
  });
  if (!response.ok) throw new Error(`${url.href} responds with status ${response.status}`);
  const text = await smallText(response);
  const found = latestFile.safeParse(parsed(text));
  if (!found.success) throw new Error(`${url.href} names no version`);
  const { version, changelog } = found.data;
  return { version, changelogUrl: changelog ? webAddress(changelog, base) : null };
}

/** The cause of a failed fetch, which itself says only "fetch failed". */
export function reasonOf(error: unknown): string {
  const cause = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return cause.name === 'TimeoutError' ? 'it did not respond in time' : cause.message || String(cause.code);
}

async function smallText(response: Response): Promise<string> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.length > mostBytes) throw new Error(`${response.url} is too long`);
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
