import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken, startApp } from '../../../test/rig/app.ts';
import { foreignOrganization, join, newToken, signInOwner } from '../../../test/rig/people.ts';
import { linkHomeToCloud, startCloudAndHome, type TwoInstances } from './cloud-rig.ts';

const token = ownerToken;
const idIn = ({ body }: Answer) => (body as unknown as { data: { id: string } }).data.id;
const begunIn = ({ body }: Answer) => (body as unknown as { deployment_id: string }).deployment_id;

describe('linked cloud', () => {
  let two: TwoInstances;
  beforeAll(async () => {
    two = await startCloudAndHome();
  });
  afterAll(() => two?.close());

  const here = (method: string, path: string, body?: unknown) => two.home.call(method, path, { token, body });
  const there = (method: string, path: string, body?: unknown) => two.cloud.call(method, path, { token, body });
  const project = async (name: string, source: object = { type: 'git', url: 'https://git.example.com/a/b.git' }) =>
    idIn(await here('POST', '/api/projects', { name, source }));
  const promote = (projectId: string, more: object = {}) =>
    here('POST', '/api/deployments/build/access', { projectId, deployTarget: 'cloud', autoStart: false, ...more });

  it('requires a link, and accepts only a working token', async () => {
    const projectId = await project('early');
    expect((await promote(projectId)).body).toMatchObject({ code: 'cloud_not_linked' });
    const wrong = await here('POST', '/api/cloud/link', { url: two.url, token: `mrg_pat_${'x'.repeat(43)}` });
    expect([wrong.status, wrong.body['details']]).toMatchObject([400, [{ field: 'token' }]]);
    const nowhere = await here('POST', '/api/cloud/link', { url: 'http://127.0.0.1:9', token });
    expect([nowhere.status, nowhere.body['code']]).toEqual([503, 'cloud_unreachable']);
    const plain = await here('POST', '/api/cloud/link', { url: 'http://cloud.example.com', token });
    expect([plain.status, plain.body['details']]).toMatchObject([400, [{ field: 'url' }]]);
    const linked = await linkHomeToCloud(two);
    expect([linked.status, linked.body['data']]).toMatchObject([
      200,
      { linked: true, from: 'organization', reachable: true, account: 'owner@example.com', projects: 0 },
    ]);
    expect(linked.text).not.toContain(token);
  });

  it('receives a project with settings and variables under the same id', async () => {
    const id = await project('shop');
    await here('PATCH', `/api/projects/${id}`, { buildCommand: 'make', rollbackWindow: 7 });
    await here('PATCH', `/api/projects/${id}/variables`, {
      variables: { A: 'plain', B: { value: 'hidden', secret: true } },
    });
    const answer = await promote(id);
    expect([answer.status, answer.body]).toMatchObject([200, { success: true, project_id: id }]);
    const hosted = await there('GET', `/api/projects/${id}`);
    expect(hosted.body['data']).toMatchObject({ id, name: 'shop', buildCommand: 'make', rollbackWindow: 7 });
    const variables = await there('GET', `/api/projects/${id}/variables`);
    expect(variables.body['data']).toMatchObject([
      { key: 'A', value: 'plain' },
      { key: 'B', value: null, secret: true },
    ]);
    const own = { deployTarget: 'cloud', cloud: 'there' };
    expect((await here('GET', `/api/projects/${id}`)).body['data']).toMatchObject(own);
    expect(hosted.body['data'], 'to the cloud itself it is nothing special').toMatchObject({ cloud: null });
  });

  it('answers for its deployments with the same status and body', async () => {
    const id = await project('forwarded');
    const deployment = begunIn(await promote(id));
    const path = `/api/deployments/${deployment}`;
    for (const [method, rest, body] of [
      ['GET', ''],
      ['GET', '/build'],
      ['GET', '/logs?tail=5'],
      ['GET', '/info'],
      ['GET', '/usage'],
      ['GET', '/logs?kind=%00'],
      ['GET', '/stream?since=x'],
      ['POST', '/pin', { pinned: true }],
      ['POST', '/pin', { pinned: 'no' }],
      ['POST', '/keep', {}],
      ['POST', '/build/respond', { response: 'yes' }],
      ['POST', '/rollback', {}],
      ['GET', ''],
    ] as const) {
      const [mine, theirs] = [await here(method, path + rest, body), await there(method, path + rest, body)];
      expect([rest, mine.status, mine.body]).toEqual([rest, theirs.status, theirs.body]);
    }
    expect((await here('GET', `/api/deployments?projectId=${id}`)).body['data']).toMatchObject([
      { id: deployment, deployTarget: 'cloud' },
    ]);
    expect((await here('POST', `${path}/cancel`, {})).body['data']).toMatchObject({ status: 'cancelled' });
    expect((await here('POST', `${path}/cancel`, {})).status).toBe(400);
    const ended = await here('GET', `${path}/stream`);
    expect([ended.status, ended.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect(ended.text).toBe((await there('GET', `${path}/stream`)).text);
    const seq = Number(/id: (\d+)\nevent: end/.exec(ended.text)![1]);
    expect((await here('GET', `${path}/stream?since=${seq}`)).status).toBe(204);
    for (const query of ['', '?since=1']) {
      const headers = { 'last-event-id': String(seq - 1) };
      const resumed = await two.home.call('GET', `${path}/stream${query}`, { token, headers });
      expect(resumed.text, query).toMatch(new RegExp(`^id: ${seq}\\n`));
    }
    expect((await here('DELETE', path)).status).toBe(200);
    expect((await here('GET', path)).status).toBe(404);
    expect((await here('GET', `/api/deployments?projectId=${id}`)).body['data']).toEqual([]);
  });

  it('returns 503 for its deployments while unreachable, without affecting local ones', async () => {
    const id = await project('away');
    const deployment = begunIn(await promote(id));
    const local = idIn(await here('POST', '/api/deployments', { projectId: await project('local'), autoStart: false }));
    await two.cut();
    const answer = await here('GET', `/api/deployments/${deployment}`);
    expect([answer.status, answer.body]).toMatchObject([503, { success: false, error: 'cloud_unreachable' }]);
    expect((await here('GET', `/api/deployments/${deployment}/stream`)).status).toBe(503);
    expect((await here('GET', `/api/deployments/${local}`)).status).toBe(200);
    expect((await here('GET', '/api/deployments/dep_unknown')).status).toBe(404);
    const listed = (await here('GET', '/api/deployments')).body as unknown as { data: { id: string }[] };
    expect(listed.data.map((each) => each.id)).toEqual(expect.arrayContaining([deployment, local]));
    expect((await promote(id)).status).toBe(503);
    expect((await here('DELETE', `/api/projects/${id}`)).status).toBe(503);
    const status = await here('GET', '/api/cloud/link');
    expect(status.body['data']).toMatchObject({ linked: true, reachable: false, account: 'owner@example.com' });
    await two.mend();
    expect((await here('GET', `/api/deployments/${deployment}`)).status).toBe(200);
    expect((await here('DELETE', `/api/projects/${id}`)).status).toBe(200);
    expect((await there('GET', `/api/projects/${id}`)).status).toBe(404);
  });

  it('leaves the project unchanged when it rejects the promotion or does not respond', async () => {
    const id = await project('refused');
    await there('POST', '/api/projects', { name: 'refused' });
    const taken = await promote(id);
    expect([taken.status, taken.body]).toMatchObject([
      409,
      { error: 'there is a project refused already', message: 'response of the cloud' },
    ]);
    const odd = await promote(await project('odd'), { services: [{ name: 'a', image: 'x', volumes: ['/etc:/etc'] }] });
    expect(odd.status).toBe(400);
    for (const name of ['refused', 'odd']) {
      const all = (await here('GET', '/api/projects')).body as unknown as {
        data: { name: string; deployTarget: string }[];
      };
      expect(all.data.find((each) => each.name === name)).toMatchObject({ deployTarget: 'local' });
    }
    const left = (await there('GET', '/api/projects')).body as unknown as { data: { name: string }[] };
    expect(left.data.map(({ name }) => name)).not.toContain('odd');
    const upload = await promote(await project('folder', { type: 'upload' }));
    expect([upload.status, upload.body['details']]).toMatchObject([400, [{ field: 'projectId' }]]);
  });

  it('deploys once for requests with the same key', async () => {
    const id = await project('once');
    const body = {
      key: `prm_${'k'.repeat(26)}`,
      project: { name: 'once', source: { type: 'git', url: 'https://git.example.com/a/b.git' } },
      variables: {},
      deployKey: null,
      deployment: { autoStart: false },
    };
    const calls = [1, 2, 3].map(() => there('PUT', `/api/cloud/projects/${id}`, body));
    const answers = await Promise.all(calls);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const made = new Set(
      answers.map(({ body: { data } }) => (data as unknown as { deployment: { id: string } }).deployment.id),
    );
    expect(made.size).toBe(1);
    expect((await there('GET', `/api/deployments?projectId=${id}`)).body['data']).toHaveLength(1);
  });

  it('keeps a deployment when a concurrent request, which had created the project, fails', async () => {
    const id = await project('both');
    const body = (key: string, more: object = {}) => ({
      key: `prm_${key.repeat(26)}`,
      project: { name: 'both', source: { type: 'git', url: 'https://git.example.com/a/b.git' } },
      variables: {},
      deployKey: null,
      deployment: { autoStart: false, ...more },
    });
    const bad = body('b', { services: [{ name: 'a', image: 'x', volumes: ['/etc:/etc'] }] });
    const { deployments } = two.cloud.deployments;
    const real = deployments.fromAccess.bind(deployments);
    let between = async () => {};
    deployments.fromAccess = async (...asked) => {
      deployments.fromAccess = real;
      await between();
      return real(...asked);
    };
    between = async () => expect((await there('PUT', `/api/cloud/projects/${id}`, body('g'))).status).toBe(200);
    expect((await there('PUT', `/api/cloud/projects/${id}`, bad)).status).toBe(400);
    expect((await there('GET', `/api/deployments?projectId=${id}`)).body['data']).toHaveLength(1);
  });

  it('keeps the services of a release when a newer commit is deployed', async () => {
    const id = await project('made-of');
    const { sealer } = two.cloud.instance;
    const { db } = two.cloud.database;
    const configOf = async (deployment: string) => {
      const place = { table: 'deployments', column: 'config', row: deployment };
      const rows = db.selectFrom('deployments').select('config').where('id', '=', deployment);
      const { config } = await rows.executeTakeFirstOrThrow();
      return { place, config: JSON.parse(sealer.open(config, place)) as { services?: unknown } };
    };
    const { place, config } = await configOf(begunIn(await promote(id)));
    const services = [{ name: 'front', image: 'nginx' }];
    await db
      .updateTable('deployments')
      .set({ status: 'ready', active: 1, config: sealer.seal(JSON.stringify({ ...config, services }), place) })
      .where('id', '=', place.row)
      .execute();
    const newer = idIn(await here('POST', '/api/deployments', { projectId: id, autoStart: false }));
    expect((await configOf(newer)).config.services).toEqual(services);
    expect((await configOf(begunIn(await promote(id)))).config.services, 'of the source').toBeUndefined();
  });

  it('accepts a project again whose deletion was interrupted', async () => {
    const id = await project('half-gone');
    const first = begunIn(await promote(id));
    const since = (deletingAt: number) =>
      two.cloud.database.db.updateTable('projects').set({ deletingAt }).where('id', '=', id).execute();
    await since(Date.now());
    const busy = await promote(id);
    expect([busy.status, busy.body['error']]).toEqual([409, 'this project is being deleted']);
    await since(Date.now() - 601_000);
    const second = begunIn(await promote(id));
    const found = (await there('GET', `/api/deployments?projectId=${id}`)).body['data'];
    expect([found, second === first]).toMatchObject([[{ id: second }], false]);
  });

  it('gives the id of a deleted project to no other organization', async () => {
    const id = await project('claimed');
    await promote(id);
    expect((await here('DELETE', `/api/projects/${id}`)).status).toBe(200);
    const stranger = await foreignOrganization(two.cloud);
    const body = {
      key: `prm_${'c'.repeat(26)}`,
      project: { name: 'claimed', source: { type: 'git', url: 'https://git.example.com/a/b.git' } },
      variables: {},
      deployKey: null,
      deployment: { autoStart: false },
    };
    const claim = (as: string) => two.cloud.call('PUT', `/api/cloud/projects/${id}`, { token: as, body });
    expect((await claim(stranger.token)).status).toBe(409);
    expect((await claim(token)).status, 'whose it was').toBe(200);
  });

  it('requires permissions of this instance first', async () => {
    const id = await project('guarded');
    const deployment = begunIn(await promote(id));
    const path = `/api/deployments/${deployment}`;
    const cookie = await signInOwner(two.home);
    const reader = await newToken(two.home, cookie, ['deployment:read']);
    const writer = await newToken(two.home, cookie, ['deployment:write']);
    const by = (as: string, method: string, rest: string) =>
      two.home.call(method, path + rest, { token: as, ...(method === 'POST' && { body: {} }) });
    expect((await by(reader, 'GET', '')).status).toBe(200);
    expect((await by(reader, 'POST', '/pin')).status).toBe(403);
    expect((await by(writer, 'POST', '/pin')).status).toBe(200);
    for (const rest of ['/rollback', '/cancel'])
      expect((await by(writer, 'POST', rest)).body, rest).toMatchObject({
        error: 'this needs the permission deployment:admin',
      });
    expect((await by(writer, 'DELETE', '')).status).toBe(403);
    const restricted = await join(two.home, 'restricted@example.com', 'restricted');
    const asRestricted = () => two.home.call('GET', path, { cookie: restricted.cookie });
    const grant = async (...ids: string[]) => {
      const grants = ids.map((each) => ({ resource: 'project', id: each, actions: ['read'] }));
      return here('PUT', `/api/members/${restricted.memberId}/grants`, { grants });
    };
    await grant(await project('another'));
    expect((await asRestricted()).status).toBe(404);
    await grant(id);
    expect((await asRestricted()).status).toBe(200);
    expect((await two.home.call('POST', `${path}/pin`, { cookie: restricted.cookie, body: {} })).status).toBe(403);
  });

  it('gives a project back, also while unreachable', async () => {
    const id = await project('back');
    const planned = await here('POST', '/api/deployments/plan', { projectId: id, deployTarget: 'cloud' });
    expect([planned.status, planned.body['details']]).toMatchObject([400, [{ field: 'deployTarget' }]]);
    const inCloud = async () =>
      ((await here('GET', `/api/projects/${id}`)).body['data'] as unknown as { cloud: string | null }).cloud;
    expect(await inCloud()).toBeNull();
    begunIn(await promote(id));
    expect((await here('POST', '/api/deployments', { projectId: id, autoStart: false })).status).toBe(202);
    const elsewhere = { projectId: id, deployTarget: 'local' };
    expect((await here('POST', '/api/deployments/build/access', elsewhere)).status).toBe(400);
    expect((await here('DELETE', '/api/cloud/link')).status).toBe(409);
    expect((await here('DELETE', `/api/projects/${id}/cloud`)).status).toBe(400);
    await two.cut();
    const home = await here('POST', `/api/projects/${id}/bring-home`, {});
    expect([home.status, home.body]).toMatchObject([200, { success: true, project_id: id }]);
    expect((await here('GET', `/api/deployments/${begunIn(home)}`)).body['data']).toMatchObject({
      deployTarget: 'local',
    });
    expect((await here('DELETE', `/api/projects/${id}/cloud`)).status).toBe(503);
    expect(await inCloud()).toBe('left');
    await two.mend();
    expect((await here('DELETE', `/api/projects/${id}/cloud`)).status).toBe(200);
    expect(await inCloud()).toBeNull();
    expect((await there('GET', `/api/projects/${id}`)).status).toBe(404);
    expect((await here('POST', `/api/projects/${id}/bring-home`, {})).status).toBe(400);
  });

  it("reports a rejected token as such, not as the caller's", async () => {
    const id = await project('revoked');
    const deployment = begunIn(await promote(id));
    const cookie = await signInOwner(two.cloud);
    const permissions = ['project:admin', 'deployment:admin', 'githost:read'];
    const made = await two.cloud.call('POST', '/api/tokens', { cookie, body: { name: 'link', permissions } });
    const { id: tokenId, token: secret } = (made.body as unknown as { data: { id: string; token: string } }).data;
    expect((await here('POST', '/api/cloud/link', { url: two.url, token: secret })).status).toBe(200);
    await two.cloud.call('DELETE', `/api/tokens/${tokenId}`, { cookie });
    const answer = await here('GET', `/api/deployments/${deployment}`);
    expect([answer.status, answer.body['code']]).toEqual([502, 'cloud_refused']);
    expect((await linkHomeToCloud(two)).status).toBe(200);
  });

  it('audits every change and never stores the token in plain text', async () => {
    const entries = (await here('GET', '/api/audit?limit=100')).text;
    for (const action of ['cloud.linked', 'project.promoted', 'project.brought_home', 'project.removed_from_cloud'])
      expect(entries, action).toContain(`"${action}"`);
    const rows = await two.home.database.db.selectFrom('cloud_links').selectAll().execute();
    expect(JSON.stringify(rows) + entries).not.toContain(token);
    const fresh = await startCloudAndHome();
    await linkHomeToCloud(fresh);
    const source = { type: 'git', url: 'https://git.example.com/a/b.git' };
    const made = await fresh.home.call('POST', '/api/projects', { token, body: { name: 'left', source } });
    const body = { projectId: idIn(made), deployTarget: 'cloud', autoStart: false };
    const begun = begunIn(await fresh.home.call('POST', '/api/deployments/build/access', { token, body }));
    await fresh.home.call('POST', `/api/projects/${idIn(made)}/bring-home`, { token, body: { deploy: false } });
    const listed = async () => (await fresh.home.call('GET', '/api/deployments', { token })).body['data'];
    expect(await listed()).toMatchObject([{ id: begun }]);
    expect((await fresh.home.call('DELETE', '/api/cloud/link', { token })).status).toBe(200);
    expect(await listed(), 'nobody could be asked for them').toEqual([]);
    expect((await fresh.home.call('DELETE', '/api/cloud/link', { token })).status).toBe(404);
    expect((await fresh.home.call('GET', '/api/audit', { token })).text).toContain('"cloud.unlinked"');
    expect((await fresh.cloud.call('GET', '/api/cloud/link', { token })).status).toBe(404);
    expect(
      (await fresh.home.call('PUT', `/api/cloud/projects/prj_${'a'.repeat(26)}`, { token, body: {} })).status,
    ).toBe(404);
    await fresh.close();
  });

  it('audits locally who changed a deployment in the cloud', async () => {
    const id = await project('audited');
    const deployment = begunIn(await promote(id));
    const cookie = await signInOwner(two.home);
    const by = (rest: string) => two.home.call('POST', `/api/deployments/${deployment}${rest}`, { cookie, body: {} });
    for (const rest of ['/pin', '/cancel', '/cancel']) await by(rest);
    await here('GET', `/api/deployments/${deployment}`);
    const entries = (await here('GET', `/api/audit?targetId=${deployment}`)).body['data'] as unknown as {
      action: string;
      details: { request?: string };
    }[];
    expect(
      entries.map(({ action, details }) => [action, details.request]),
      'and nothing that was refused',
    ).toEqual([
      ['deployment.changed_in_cloud', 'POST /api/deployments/:id/cancel'],
      ['deployment.changed_in_cloud', 'POST /api/deployments/:id/pin'],
      ['deployment.created', undefined],
    ]);
  });

  it('from the settings applies to an instance with one organization', async () => {
    const env = { MOORING_CLOUD_URL: two.url, MOORING_CLOUD_TOKEN: token };
    const alone = await startApp('sqlite', { env });
    const link = async () => (await alone.call('GET', '/api/cloud/link', { token })).body['data'];
    expect(await link()).toMatchObject({ linked: true, from: 'settings', reachable: true });
    const own = await alone.call('POST', '/api/projects', { token, body: { name: 'own' } });
    const { organization } = (await link()) as unknown as { organization: { id: string } };
    const at = (cloudAt: string) =>
      alone.database.db
        .updateTable('projects')
        .set({ cloudState: 'there', cloudAt })
        .where('id', '=', idIn(own))
        .execute();
    const linkIt = () => alone.call('POST', '/api/cloud/link', { token, body: { url: two.url, token } });
    await at(`${two.url} org_another`);
    expect((await linkIt()).status).toBe(409);
    await at(`${two.url} ${organization.id}`);
    expect((await linkIt()).status, 'it leads to the same').toBe(200);
    await alone.database.db.deleteFrom('cloud_links').execute();
    const made = await alone.call('POST', '/api/projects', { token, body: { name: 'left' } });
    const left = { cloudState: 'home' as const, cloudAt: `${two.url} org_another` };
    await alone.database.db.updateTable('projects').set(left).where('id', '=', idIn(made)).execute();
    const removed = await alone.call('DELETE', `/api/projects/${idIn(made)}/cloud`, { token });
    expect([removed.status, removed.body['code']], 'it is in another organization there').toEqual([409, 'conflict']);
    const unlinked = await alone.call('DELETE', '/api/cloud/link', { token });
    expect([unlinked.status, unlinked.body['error']]).toEqual([400, expect.stringContaining('CLOUD_TOKEN') as string]);
    const source = { type: 'git', url: 'https://git.example.com/a/b.git' };
    const settled = await alone.call('POST', '/api/projects', { token, body: { name: 'settled', source } });
    const wanted = { projectId: idIn(settled), deployTarget: 'cloud', autoStart: false };
    const begun = begunIn(await alone.call('POST', '/api/deployments/build/access', { token, body: wanted }));
    await foreignOrganization(alone);
    expect(await link()).toMatchObject({ linked: false });
    expect((await alone.call('GET', '/api/deployments', { token })).body['data']).toMatchObject([{ id: begun }]);
    const answers = [begun, 'dep_unknown'].map((id) => alone.call('GET', `/api/deployments/${id}`, { token }));
    const codes = (await Promise.all(answers)).map(({ body: { code } }) => code);
    expect(codes, 'what is in the list is not said to be nowhere').toEqual(['cloud_not_linked', 'not_found']);
    expect((await alone.call('DELETE', '/api/cloud/link', { token })).status).toBe(404);
    await alone.close();
  });
});
