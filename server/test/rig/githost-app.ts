import type { Drivers } from '../../src/app.ts';
import type { DatabaseKind } from '../../src/db/database.ts';
import { createGitHub } from '../../src/drivers/githost/github/github.ts';
import { type Answer, startApp, type TestApp } from './app.ts';
import { memoryDrivers } from './drivers.ts';
import { appId, installations } from './githost-seed.ts';
import { pushBody, signedBy, announcedRepository, type Announced } from './githost-pushes.ts';
import { type GitHostRig, startGitHost } from './githost.ts';

export const appSecret = 'what the host signs with for the app';
export const hookUrl = 'http://127.0.0.1:1/api/webhooks/githost';

export interface GitHostApp {
  app: TestApp;
  host: GitHostRig;
  /** As if a person had connected the installed app. */
  install(organizationId: string, account: string): Promise<void>;
  /** The owner's organization. */
  organizationId: string;
  /** Delivers a webhook like the host; to the app by default. */
  announce(body: Buffer, headers?: Record<string, string>, secret?: string): Promise<Answer>;
  /** Delivers a push to `team/shop`, or to the given repository. */
  announcePush(push: Omit<Announced, 'repository'>, repository?: string, secret?: string): Promise<Answer>;
  close(): Promise<void>;
}

/** Starts the service in this process with its own git host, and installs the app for the owner's organization. */
export async function startGitHostApp(
  kind: DatabaseKind,
  env: Record<string, string> = {},
  drivers: Partial<Drivers> = {},
): Promise<GitHostApp> {
  const host = await startGitHost();
  const gitHost = createGitHub({
    webUrl: host.webUrl,
    reach: 'private',
    app: { id: String(appId), privateKey: host.appKey },
  });
  const app = await startApp(kind, {
    drivers: { ...memoryDrivers(), gitHost, ...drivers },
    env: {
      MOORING_PUBLIC_URL: new URL(hookUrl).origin,
      GITHOST_WEBHOOK_SECRET: appSecret,
      MOORING_PUSH_POLL_SECONDS: '3600',
      ...env,
    },
  });
  const { db } = app.database;
  const { id: organizationId } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
  const install = async (organization: string, account: string) => {
    const { id, type } = installations.find((each) => each.account === account)!;
    await db
      .insertInto('githost_installations')
      .values({
        id: `ins_${organization}_${id}`,
        organizationId: organization,
        installationId: id,
        accountId: id,
        accountLogin: account,
        accountType: type === 'User' ? 'user' : 'organization',
        suspendedAt: null,
        proof: 'sign_in',
        connectedBy: 'test',
        createdAt: Date.now(),
      })
      .execute();
  };
  await install(organizationId, 'team');
  const announce: GitHostApp['announce'] = (body, headers = {}, secret = appSecret) =>
    app.call('POST', '/api/webhooks/githost', { body, headers: signedBy(secret, body, headers) });
  return {
    app,
    host,
    organizationId,
    install,
    announce,
    announcePush: async (push, repository = 'team/shop', secret = appSecret) =>
      announce(pushBody({ ...push, repository: await announcedRepository(host, repository) }), {}, secret),
    async close() {
      await app.close();
      await host.stop();
    },
  };
}
