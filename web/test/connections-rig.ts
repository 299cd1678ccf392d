import type { Browser } from 'playwright-core';
import { ownerEmail, ownerPassword } from '../../server/test/rig/app.ts';
import { visit, type Visitor } from '../../server/test/rig/browser.ts';
import { newFolder } from '../../server/test/rig/children.ts';
import { json } from '../../server/test/rig/deploy.ts';
import { announcedRepository, noCommit, pushBody, signedBy } from '../../server/test/rig/githost-pushes.ts';
import { oauthApp, userTokens } from '../../server/test/rig/githost-seed.ts';
import { type GitHostRig, startGitHost } from '../../server/test/rig/githost.ts';
import { freePort } from '../../server/test/rig/ports.ts';
import { type Service, startService } from '../../server/test/rig/service.ts';

export type Connections = { service: Service; host: GitHostRig; localRoot: string; stop(): Promise<void> };

/** The service's OAuth client: the id alone enables device logins, the secret enables redirects. */
type Client = 'id' | 'secret' | 'none';

/** Starts the service with its own git host and local backup destinations. */
export async function startConnections(client: Client = 'id'): Promise<Connections> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const host = await startGitHost({ redirectUris: [`${url}/api/githost/connect/redirect`] });
  const localRoot = newFolder('backups');
  const service = await startService({
    env: {
      PORT: String(port),
      MOORING_PUBLIC_URL: url,
      GITHOST_URL: host.webUrl,
      ...(client !== 'none' && { GITHOST_CLIENT_ID: oauthApp.clientId }),
      ...(client === 'secret' && { GITHOST_CLIENT_SECRET: oauthApp.clientSecret }),
      BACKUP_ALLOW_LOCAL_DESTINATION: 'true',
      BACKUP_LOCAL_ROOT: localRoot,
    },
  });
  return {
    service,
    host,
    localRoot,
    async stop() {
      await service.stop();
      await host.stop();
    },
  };
}

const [octoToken] = Object.entries(userTokens).find(([, login]) => login === 'octo')!;

/** Enters a device code at the git host, as octo. */
export const enterCode = (host: GitHostRig, code: string): void =>
  host.gaps.signIns.flows.decide(code, { real: octoToken, login: 'octo' });

/** Delivers a push to the registered webhook; returns the status of the response. */
export async function announcePush({ service, host }: Connections, repository: string, after: string): Promise<number> {
  const address = `${service.url}/api/webhooks/githost`;
  const body = pushBody({ repository: await announcedRepository(host, repository), before: noCommit, after });
  const headers = signedBy(host.gaps.secrets.get(address)!, body);
  return (await fetch(address, { method: 'POST', headers, body: new Uint8Array(body) })).status;
}

export async function signInOwner(browser: Browser, { url }: Service): Promise<Visitor> {
  const who = await visit(browser, url);
  await who.page.goto('/sign-in');
  await who.page.getByLabel('E-mail address', { exact: true }).fill(ownerEmail);
  await who.page.getByLabel('Password', { exact: true }).fill(ownerPassword);
  await who.page.getByRole('button', { name: 'Sign in' }).click();
  await who.page.getByRole('navigation', { name: 'Main' }).waitFor();
  return who;
}

/** Adds a member to the organization, signed in. */
export async function join(
  browser: Browser,
  service: Service,
  invitation: { email: string; role: string; grants?: object[] },
): Promise<Visitor> {
  const { data } = await json<{ data: { url: string } }>(service.post('/api/invitations', invitation));
  const who = await visit(browser, service.url);
  await who.page.goto(data.url);
  await who.page.getByLabel('Your name', { exact: true }).fill(invitation.role);
  await who.page.getByLabel('Password', { exact: true }).fill(ownerPassword);
  await who.page.getByRole('button', { name: 'Create account and join' }).click();
  await who.page.getByRole('navigation', { name: 'Main' }).waitFor();
  return who;
}
