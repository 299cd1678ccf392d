import type { GitHub } from '../../../drivers/githost/github/github.ts';
import { inTime } from '../deadline.ts';

type Options = { gitHost: GitHub; configured: string | undefined; callMs: number };

/** The name of the app in the address where it is installed: as it was set up, else as the host says. */
export function appSlug({ gitHost, configured, callMs }: Options): () => Promise<string> {
  let known = configured;
  return async () => (known ??= await inTime(callMs, (signal) => gitHost.app!.slug({ signal })));
}
