import { newFolder } from './children.ts';
import { installForOwner } from './githost-install.ts';
import { appId } from './githost-seed.ts';
import { announcedRepository, pushBody, signedBy } from './githost-pushes.ts';
import type { GitHostRig } from './githost.ts';
import { type Killable, startKillable } from './killable.ts';
import { freePort } from './ports.ts';

export const appSecret = 'what the host signs with for the app';

/** Starts the service as a process with a git host, and the app installed for the owner's organization. */
export async function startGitHostService(host: GitHostRig, env: Record<string, string> = {}): Promise<Killable> {
  const [port, dataDir] = [await freePort(), newFolder('data')];
  const service = await startKillable(
    {
      PORT: String(port),
      MOORING_PUBLIC_URL: `http://127.0.0.1:${port}`,
      GITHOST_URL: host.webUrl,
      GITHOST_APP_ID: String(appId),
      GITHOST_APP_PRIVATE_KEY: host.appKey,
      GITHOST_WEBHOOK_SECRET: appSecret,
      ...env,
    },
    dataDir,
  );
  installForOwner(dataDir);
  return service;
}

/** Delivers a push to the service like the host; returns the status. */
export async function announcePush(
  host: GitHostRig,
  url: string,
  push: { before: string; after: string },
  secret = appSecret,
): Promise<number> {
  const body = pushBody({ ...push, repository: await announcedRepository(host, 'team/shop') });
  const sent = { method: 'POST', headers: signedBy(secret, body), body: new Uint8Array(body) };
  return (await fetch(`${url}/api/webhooks/githost`, sent)).status;
}
