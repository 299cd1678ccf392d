import { GitHostError } from '../../../drivers/githost/errors.ts';
import { installAddress } from '../../../drivers/githost/github/addresses.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import { withDeadline } from '../deadline.ts';

type Options = { gitHost: GitHub; configured: string | undefined; callMs: number };

/** Returns the slug of the app: as configured, else from the git host. */
export function appSlug({ gitHost, configured, callMs }: Options): () => Promise<string> {
  let known = configured;
  return async () => (known ??= await withDeadline(callMs, (signal) => gitHost.app!.slug({ signal })));
}

/** Returns the URL to install the app; null without an app, or if the git host does not return the slug. */
export async function installPage(gitHost: GitHub, slug: () => Promise<string>): Promise<string | null> {
  if (!gitHost.app) return null;
  try {
    return installAddress(gitHost.addresses, await slug());
  } catch (error) {
    if (!(error instanceof GitHostError)) throw error;
    return null;
  }
}
