import { GitHostError } from '../../../drivers/githost/errors.ts';
import { installAddress } from '../../../drivers/githost/github/addresses.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import { withDeadline } from '../deadline.ts';

type Options = { gitHost: GitHub; configured: string | undefined; callMs: number };

/** The name of the app in the address where it is installed: as it was set up, else as the host says. */
export function appSlug({ gitHost, configured, callMs }: Options): () => Promise<string> {
  let known = configured;
  return async () => (known ??= await withDeadline(callMs, (signal) => gitHost.app!.slug({ signal })));
}

/** Where our app is installed for further accounts. Null where there is none, or only the host could tell and does not. */
export async function installPage(gitHost: GitHub, slug: () => Promise<string>): Promise<string | null> {
  if (!gitHost.app) return null;
  try {
    return installAddress(gitHost.addresses, await slug());
  } catch (error) {
    if (!(error instanceof GitHostError)) throw error;
    return null;
  }
}
