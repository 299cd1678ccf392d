import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browse, callbackPath } from '../../src/areas/cloud/lending-rig.ts';
import { ownerToken } from '../rig/app.ts';
import { type BadLine, startBadLine } from '../rig/bad-line.ts';
import { ask, type DeploymentJson, ended, ensureProject, folderOf, json } from '../rig/deploy.ts';
import { announcedRepository, pushBody, signedBy } from '../rig/githost-pushes.ts';
import { appId, installations, oauthApp } from '../rig/githost-seed.ts';
import { type GitHostRig, startGitHost } from '../rig/githost.ts';
import { type Killable, startKillable } from '../rig/killable.ts';
import { freePort } from '../rig/ports.ts';
import { until } from '../rig/until.ts';

const secret = 'what the host signs with for the app';
type Status = { state: string; accounts: { login: string; source: string }[]; cloudUnreachable: boolean };
type Delivery = { guid: string; event: string; status: string; projects: { deploymentId: string | null }[] };

/** Two real instances: a cloud with a git host app, and a home instance without one. */
describe("the git host through the cloud's app", () => {
  let host: GitHostRig;
  let cloud: Killable;
  let home: Killable;
  let line: BadLine;
  let url: string;
  let project: string;

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    host = await startGitHost({ redirectUris: [url + callbackPath] });
    cloud = await startKillable({
      PORT: String(port),
      MOORING_MODE: 'cloud',
      MOORING_ALLOW_PRIVATE_TARGETS: 'all',
      MOORING_PUBLIC_URL: url,
      GITHOST_URL: host.webUrl,
      GITHOST_APP_ID: String(appId),
      GITHOST_APP_SLUG: 'rig-app',
      GITHOST_APP_PRIVATE_KEY: host.appKey,
      GITHOST_CLIENT_ID: oauthApp.clientId,
      GITHOST_CLIENT_SECRET: oauthApp.clientSecret,
      GITHOST_WEBHOOK_SECRET: secret,
    });
    line = await startBadLine(port);
    home = await startKillable({ GITHOST_URL: host.webUrl, MOORING_PUSH_POLL_SECONDS: '3600' });
    await json(home.now.post('/api/cloud/link', { url: `http://127.0.0.1:${line.port}`, token: ownerToken }));
  }, 120_000);
  afterAll(async () => {
    await home?.now.stop();
    line?.stop();
    await cloud?.now.stop();
    await host?.stop();
  });

  const status = () => json<Status>(home.now.get('/api/githost/status'));
  const logins = async () => (await status()).accounts.map(({ login }) => login).toSorted();
  const deployments = async (at: Killable) =>
    (await json<{ data: DeploymentJson[] }>(at.now.get('/api/deployments'))).data;
  const ledger = async () => (await json<{ data: Delivery[] }>(home.now.get('/api/githost/deliveries?limit=100'))).data;
  const push = (text: string) => host.git.push('team/shop', folderOf({ 'index.html': text }), text);
  /** Delivers like the host, until accepted. */
  const announce = async (body: Buffer, event: string, guid: string) => {
    const headers = signedBy(secret, body, { 'x-github-event': event, 'x-github-delivery': guid });
    await until(`${guid} is taken`, async () => {
      const sent = fetch(`${url}/api/webhooks/githost`, { method: 'POST', headers, body: new Uint8Array(body) });
      return (await sent.catch(() => undefined))?.status === 202;
    });
  };
  const announcePush = async (before: string, after: string, guid: string) => {
    const more = { installation: { id: 70 } };
    await announce(
      pushBody({ before, after, repository: await announcedRepository(host, 'team/shop'), more }),
      'push',
      guid,
    );
  };
  const restart = async (side: Killable) => {
    await side.kill();
    await side.start();
  };

  it('connects in a browser, lists repositories, issues clone tokens, and deploys pushes', async () => {
    const first = push('one');
    const begun = await json<{ flow: string; url: string }>(home.now.post('/api/githost/connect', {}));
    // The browser flow completes even if either side is killed.
    await restart(cloud);
    await restart(home);
    expect((await browse({ host, url }, begun.url, 'octo')).origin).toBe(home.now.url);
    await until('it is connected', async () => (await logins()).join() === 'octo,team');
    const repos = await json<{ data: { fullName: string }[] }>(home.now.get('/api/githost/repos?owner=team'));
    expect(repos.data.map(({ fullName }) => fullName).toSorted()).toEqual(['team/docs', 'team/shop']);
    const clone = await json<{ token: string }>(home.now.get('/api/githost/repos/team/shop/clone-token'));
    expect([host.gaps.mayClone('team/shop', clone.token), host.gaps.mayClone('team/docs', clone.token)]).toEqual([
      true,
      false,
    ]);
    project = await ensureProject(home.now, 'shop');
    await json(home.now.post(`/api/projects/${project}/link`, { owner: 'team', repo: 'shop' }));
    const second = push('two');
    await announcePush(first, second, 'push-two');
    const made = await until('it is deployed', async () =>
      (await deployments(home)).find((each) => each.commitSha === second),
    );
    const ready = await ended(home.now, made!.id, 60_000);
    expect((await ask(ready.urls[0]!)).body).toBe('two');
    expect(await deployments(cloud)).toEqual([]);
    expect(cloud.now.output() + home.now.output()).not.toContain(ownerToken);
  }, 120_000);

  it('forwards each push once, whichever side is killed and wherever the connection breaks', async () => {
    let before = (await deployments(home))[0]!.commitSha!;
    const commits: string[] = [];
    for (let i = 0; i < 8; i++) {
      const after = push(`round ${i}`);
      if (i % 4 === 0) line.cutAnswer = { afterBytes: 300, times: 3 };
      const killed = i % 4 === 1 ? restart(home) : i % 4 === 2 ? restart(cloud) : Promise.resolve();
      await sleep(50 * i);
      await announcePush(before, after, `round-${i}`);
      if (i % 4 === 3) await Promise.all([restart(cloud), restart(home)]);
      await killed;
      commits.push(after);
      before = after;
    }
    delete line.cutAnswer;
    const all = await until(
      'all are handled',
      async () => {
        const rounds = (await ledger()).filter(({ guid }) => guid.startsWith('round-'));
        return rounds.length === 8 && rounds.every((each) => each.status !== 'received') ? rounds : undefined;
      },
      60_000,
    );
    expect(new Set(all!.map(({ guid }) => guid)).size).toBe(8);
    expect(all!.filter((each) => each.status === 'failed')).toEqual([]);
    const last = await until('the last is deployed', async () =>
      (await deployments(home)).find((each) => each.commitSha === before),
    );
    const ready = await ended(home.now, last!.id, 60_000);
    expect((await ask(ready.urls[0]!)).body).toBe('round 7');
    const made = (await deployments(home)).map((each) => each.commitSha);
    expect(new Set(made).size, 'no commit twice').toBe(made.length);
    expect(await deployments(cloud)).toEqual([]);
    // Redelivers the same ones, like a host without a response.
    const count = (await ledger()).length;
    await announcePush(commits[6]!, before, 'round-7');
    await restart(home);
    await sleep(3000);
    expect((await ledger()).length).toBe(count);
  }, 240_000);

  it('keeps working from its cache while the cloud is unreachable, and catches up afterwards', async () => {
    expect((await home.now.get('/api/githost/repos/team/shop')).status).toBe(200);
    await cloud.kill();
    await until('it is said', async () => (await status()).cloudUnreachable);
    expect((await home.now.get('/api/githost/repos/team/shop')).status).toBe(200);
    expect((await status()).state).toBe('connected');
    host.gaps.tokens.endInstallation(70);
    const refused = await home.now.get('/api/githost/repos/team/shop');
    expect([refused.status, await refused.json()]).toMatchObject([503, { error: 'cloud_unreachable' }]);
    expect((await home.now.post('/api/githost/connect', { source: 'app' })).status).toBe(503);
    await cloud.start();
    await until('it works', async () => (await home.now.get('/api/githost/repos/team/shop')).status === 200);
    const [{ commitSha: before }] = (await deployments(home)) as [DeploymentJson];
    const after = push('back again');
    await announcePush(before!, after, 'back');
    await until(
      'it is deployed',
      async () => (await deployments(home)).some((each) => each.commitSha === after),
      40_000,
    );
  }, 120_000);

  it('notices that the app was removed, even after downtime', async () => {
    await home.kill();
    const { id, type } = installations.find(({ account }) => account === 'team')!;
    host.gaps.lose(id, 'deleted');
    const body = { action: 'deleted', installation: { id, account: { id, login: 'team', type } } };
    await announce(Buffer.from(JSON.stringify(body)), 'installation', 'removed');
    await home.start();
    await until('it is known', async () => (await logins()).join() === 'octo');
    await until('it is in the ledger, or was known before', async () => {
      const found = (await ledger()).filter(({ guid }) => guid === 'removed');
      return found.length <= 1 && found.every((each) => each.status === 'handled');
    });
    expect((await home.now.get('/api/githost/repos/team/shop')).status).toBe(404);
    expect(await json(home.now.post('/api/githost/disconnect', { source: 'all' }))).toMatchObject({
      data: { sources: ['app'] },
    });
    expect(await logins()).toEqual([]);
  }, 120_000);
});
