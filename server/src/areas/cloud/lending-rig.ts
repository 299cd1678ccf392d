import { ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { memoryDrivers } from '../../../test/rig/drivers.ts';
import { appSecret } from '../../../test/rig/githost-app.ts';
import { announcedRepository, pushBody, signedBy } from '../../../test/rig/githost-pushes.ts';
import { appId, installations, oauthApp } from '../../../test/rig/githost-seed.ts';
import { type GitHostRig, startGitHost } from '../../../test/rig/githost.ts';
import { freePort } from '../../../test/rig/ports.ts';
import { createGitHub } from '../../drivers/githost/github/github.ts';

export const callbackPath = '/api/githost/connect/redirect';
export const homeUrl = 'http://home.test';

/** A cloud with an app of the git host, and instances without one, in this process. */
export interface LendingRig {
  host: GitHostRig;
  cloud: TestApp;
  url: string;
  /** Starts an instance linked with this token. */
  home(token?: string, env?: Record<string, string>): Promise<TestApp>;
  cut(): Promise<void>;
  mend(): Promise<void>;
  /** Sends a webhook to the app. */
  announce(body: Buffer, event?: string, guid?: string): Promise<number>;
  announcePush(push: { before: string; after: string }, repository?: string, guid?: string): Promise<number>;
  announceInstallation(account: string, action: string): Promise<number>;
  close(): Promise<void>;
}

export async function startLending(): Promise<LendingRig> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const host = await startGitHost({ redirectUris: [url + callbackPath] });
  const { clientId, clientSecret } = oauthApp;
  const app = { id: String(appId), privateKey: host.appKey };
  const cloud = await startApp('sqlite', {
    env: {
      MOORING_MODE: 'cloud',
      MOORING_ALLOW_PRIVATE_TARGETS: 'all',
      MOORING_PUBLIC_URL: url,
      GITHOST_WEBHOOK_SECRET: appSecret,
      GITHOST_APP_SLUG: 'rig-app',
    },
    drivers: {
      ...memoryDrivers(),
      gitHost: createGitHub({ webUrl: host.webUrl, reach: 'private', app, oauth: { clientId, clientSecret } }),
    },
  });
  const listen = () => new Promise<void>((resolve) => cloud.server.server.listen(port, '127.0.0.1', () => resolve()));
  await cloud.server.listen({ port, host: '127.0.0.1' });
  const homes: TestApp[] = [];
  const announce: LendingRig['announce'] = async (body, event = 'push', guid) => {
    const headers = signedBy(appSecret, body, { 'x-github-event': event, ...(guid && { 'x-github-delivery': guid }) });
    return (await cloud.call('POST', '/api/webhooks/githost', { body, headers })).status;
  };
  return {
    host,
    cloud,
    url,
    announce,
    async home(token = ownerToken, env = {}) {
      const gitHost = createGitHub({ webUrl: host.webUrl, reach: 'private' });
      const started = await startApp('sqlite', {
        env: { MOORING_PUBLIC_URL: homeUrl, MOORING_PUSH_POLL_SECONDS: '3600', GITHOST_TIMEOUT: '3', ...env },
        drivers: { ...memoryDrivers(), gitHost },
      });
      homes.push(started);
      if (token) await started.call('POST', '/api/cloud/link', { token: ownerToken, body: { url, token } });
      return started;
    },
    async cut() {
      cloud.server.server.closeAllConnections();
      await new Promise((resolve) => cloud.server.server.close(resolve));
    },
    mend: listen,
    async announcePush(push, repository = 'team/shop', guid) {
      const { id } = installations.find(({ account }) => repository.startsWith(`${account}/`))!;
      const more = { installation: { id } };
      return announce(
        pushBody({ ...push, repository: await announcedRepository(host, repository), more }),
        'push',
        guid,
      );
    },
    announceInstallation(account, action) {
      const { id, type } = installations.find((each) => each.account === account)!;
      const installation = { id, account: { id, login: account, type } };
      return announce(Buffer.from(JSON.stringify({ action, installation, at: Date.now() })), 'installation');
    },
    async close() {
      for (const each of homes) await each.close();
      await cloud.close();
      await host.stop();
    },
  };
}

/** Follows the flow like a browser: installs, signs in as `login`, consents; returns the final URL. */
export async function browse(
  at: Pick<LendingRig, 'host' | 'url'>,
  sentTo: string,
  login: string,
  onPage?: (html: string) => void,
): Promise<URL> {
  let [url, cookie] = [new URL(sentTo), ''];
  for (let steps = 0; steps < 6; steps++) {
    if (url.pathname.endsWith('/installations/new')) {
      const query = new URLSearchParams({ state: url.searchParams.get('state')!, setup_action: 'install' });
      url = new URL(`${at.url}${callbackPath}?${query.toString()}`);
    } else if (url.pathname === '/login/oauth/authorize') url = await at.host.gaps.signIns.agree(url.href, login);
    else if (url.pathname === callbackPath) {
      const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
      cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      const page = await answer.text();
      const next = answer.headers.get('location') ?? /<a href="([^"]+)"><b>/.exec(page)?.[1];
      if (!next) throw new Error(`${answer.status} ${page}`);
      onPage?.(page);
      url = new URL(next, url);
    } else return url;
  }
  throw new Error(`the browser is sent on and on: ${url.href}`);
}
