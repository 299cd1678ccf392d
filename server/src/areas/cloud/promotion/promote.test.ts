import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken as token } from '../../../../test/rig/app.ts';
import { until } from '../../../../test/rig/until.ts';
import type { ProjectTable } from '../../../db/tables.ts';
import { newId } from '../../../lib/ids.ts';
import type { Caller } from '../../../http/caller.ts';
import { startCloudAndHome, type TwoInstances } from '../cloud-rig.ts';
import { beginPromotion, endPromotion } from './begin-promotion.ts';

const idIn = ({ body }: Answer) => (body as unknown as { data: { id: string } }).data.id;

describe('interrupted promotion', () => {
  let two: TwoInstances;
  let front: Server;
  /** Runs after the cloud has stored the project and before it responds; true breaks the response. */
  let meanwhile: () => Promise<boolean>;
  const puts: string[] = [];
  const removals: string[] = [];
  let isAnswerLost = false;
  let isEcho = false;
  let wrongId: string | undefined;
  let asked = 0;

  /** Echoes the credentials in two chunks. */
  const echo = ({ headers: { authorization = '' }, url = '' }: IncomingMessage, response: ServerResponse) => {
    const isStream = url.endsWith('/stream');
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.write(`${isStream ? 'id: 1\nevent: end\ndata: ' : ''}${`"${authorization}`.slice(0, 30)}`);
    setTimeout(() => response.end(`${authorization.slice(29)}"${isStream ? '\n\n' : ''}`), 50);
  };

  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    asked++;
    const sent = await text(request);
    if (isEcho) return echo(request, response);
    const body = sent ? { body: JSON.parse(sent) as { key: string } } : {};
    const answer = await two.cloud.call(request.method!, request.url!, { token, ...body });
    const isPut = request.method === 'PUT';
    if (isAnswerLost && request.method === 'POST') return void request.socket.destroy();
    if (isPut) puts.push(body.body!.key);
    if (request.method === 'DELETE') removals.push(request.url!);
    const isBroken = isPut && (await meanwhile());
    response.writeHead(isBroken ? 500 : answer.status, { 'content-type': 'application/json' });
    const said = wrongId && isPut ? answer.text.replaceAll(/prj_[a-z0-9]{26}/g, wrongId) : answer.text;
    response.end(isBroken ? '{"success":false,"error":"internal","code":"internal"}' : said);
  };

  beforeAll(async () => {
    two = await startCloudAndHome();
    front = createServer((request, response) => void pass(request, response));
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    await link(`http://127.0.0.1:${(front.address() as AddressInfo).port}`);
  });
  afterAll(async () => {
    front?.closeAllConnections();
    front?.close();
    await two?.close();
  });

  const here = (method: string, path: string, body?: unknown) => two.home.call(method, path, { token, body });
  const there = (path: string) => two.cloud.call('GET', path, { token });
  const link = (url: string) => here('POST', '/api/cloud/link', { url, token });
  const project = async (name: string) =>
    idIn(
      await here('POST', '/api/projects', { name, source: { type: 'git', url: 'https://git.example.com/a/b.git' } }),
    );
  const promote = (projectId: string, more: object = {}) =>
    here('POST', '/api/deployments/build/access', { projectId, deployTarget: 'cloud', autoStart: false, ...more });
  const deployHere = (projectId: string) => here('POST', '/api/deployments', { projectId, autoStart: false });
  const stateOf = async (id: string) =>
    ((await here('GET', `/api/projects/${id}`)).body['data'] as unknown as { cloud: string | null }).cloud;
  const change = (id: string, marks: Partial<ProjectTable>) =>
    two.home.database.db.updateTable('projects').set(marks).where('id', '=', id).execute();

  it('keeps its key after an error of the cloud, which may have started it', async () => {
    const id = await project('broken');
    meanwhile = async () => true;
    expect((await promote(id)).status).toBe(503);
    meanwhile = async () => false;
    expect((await promote(id)).status).toBe(200);
    expect(new Set(puts).size).toBe(1);
    expect((await there(`/api/deployments?projectId=${id}`)).body['data']).toHaveLength(1);
  });

  it('gets a new key for another request or after ten minutes', async () => {
    meanwhile = async () => true;
    const id = await project('keys');
    const keys = puts.length;
    for (const branch of ['a', 'a', 'b', 'a']) await promote(id, { branch });
    const [a, again, b, back] = puts.slice(keys);
    expect([again === a, b === a, back === a || back === b]).toEqual([true, false, false]);
    const { cloudKey } = await two.home.database.db
      .selectFrom('projects')
      .select('cloudKey')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const digest = cloudKey!.split('.')[1]!;
    await change(id, { cloudKey: `${newId('prm', Date.now() - 599_000)}.${digest}` });
    const before = puts.length;
    await promote(id, { branch: 'a' });
    await change(id, { cloudKey: `${newId('prm', Date.now() - 601_000)}.${digest}` });
    await promote(id, { branch: 'a' });
    const [young, old] = puts.slice(before).map((key) => key > newId('prm', Date.now() - 500_000));
    expect([young, old], 'the second one is new').toEqual([false, true]);
  });

  it('blocks local deployments while it runs, and not longer', async () => {
    const id = await project('held');
    const answers: unknown[] = [];
    const tryHere = async (isBroken: boolean) => {
      const { status, body } = await deployHere(id);
      answers.push([status, body['error']]);
      return isBroken;
    };
    meanwhile = () => tryHere(true);
    expect((await promote(id)).status).toBe(503);
    expect(answers[0]).toEqual([409, expect.stringContaining('this project is being promoted') as string]);
    const local = await deployHere(id);
    expect(local.status, 'nothing came of it').toBe(202);
    expect((await promote(id)).status, 'something is under way here').toBe(409);
    await here('POST', `/api/deployments/${idIn(local)}/cancel`, {});
    await change(id, { cloudBusyUntil: Date.now() + 60_000 });
    expect((await deployHere(id)).status, 'its service may have been killed').toBe(409);
    expect((await promote(id, { branch: 'other' })).status).toBe(409);
    await change(id, { cloudBusyUntil: Date.now() - 1 });
    meanwhile = () => tryHere(false);
    expect((await promote(id)).status).toBe(200);
    expect(answers.at(-1)).toEqual(answers[0]);
  });

  it('fails if a local deployment has started nevertheless', async () => {
    const id = await project('overtaken');
    let local = '';
    meanwhile = async () => {
      await change(id, { cloudBusyUntil: null });
      local = idIn(await deployHere(id));
      return false;
    };
    expect((await promote(id)).status).toBe(409);
    expect(await stateOf(id)).toBeNull();
    await here('POST', `/api/deployments/${local}/cancel`, {});
    meanwhile = async () => false;
    expect((await promote(id)).status).toBe(200);
    expect(await stateOf(id)).toBe('there');
    expect((await there(`/api/deployments?projectId=${id}`)).body['data']).toHaveLength(1);
  });

  it('does not undo a concurrent bring-home', async () => {
    const id = await project('homesick');
    meanwhile = async () => false;
    await promote(id);
    meanwhile = async () => {
      expect((await here('POST', `/api/projects/${id}/bring-home`, { deploy: false })).status).toBe(200);
      return false;
    };
    expect((await deployHere(id)).status).toBe(409);
    expect(await stateOf(id)).toBe('left');
    expect((await here('POST', `/api/projects/${id}/bring-home`, {})).status).toBe(400);
  });

  it('does not apply to a project that was brought home since, unless requested', async () => {
    const projectId = await project('brought');
    const { db } = two.home.database;
    const { organizationId: organization } = await db
      .selectFrom('projects')
      .select('organizationId')
      .where('id', '=', projectId)
      .executeTakeFirstOrThrow();
    const caller = { organization: { id: organization, role: 'owner', grants: [] } } as unknown as Caller;
    const address = { url: two.url, token, organizationId: null };
    const wanted = { projectId, environment: 'production', autoStart: false, envVars: {}, port: null };
    await expect(beginPromotion(db, caller, { wanted, address })).rejects.toMatchObject({ status: 409 });
    const begun = await beginPromotion(db, caller, { wanted: { ...wanted, deployTarget: 'cloud' }, address });
    await endPromotion(db, begun);
    expect((await deployHere(projectId)).status).toBe(202);
  });

  it('does not block deleting the project after it failed', async () => {
    const [fresh, stale] = [await project('fresh'), await project('stale')];
    const at = { cloudAt: `http://127.0.0.1:9 org_x` };
    await change(fresh, { ...at, cloudKey: `${newId('prm')}.0123456789abcdef` });
    await change(stale, { ...at, cloudKey: `${newId('prm', Date.now() - 601_000)}.0123456789abcdef` });
    const refused = await here('DELETE', `/api/projects/${fresh}`);
    expect([refused.status, refused.body['error']]).toEqual([409, expect.stringContaining('abandon=true') as string]);
    expect((await here('DELETE', `/api/projects/${fresh}?abandon=true`)).status).toBe(200);
    expect((await here('DELETE', `/api/projects/${stale}`)).status).toBe(200);
    expect((await here('GET', '/api/audit')).text).toContain('"project.left_in_cloud"');
  });

  it('is removed only from the cloud that the project was promoted to', async () => {
    const id = await project('elsewhere');
    meanwhile = async () => false;
    await promote(id);
    await here('POST', `/api/projects/${id}/bring-home`, { deploy: false });
    const { cloudAt } = await two.home.database.db
      .selectFrom('projects')
      .select('cloudAt')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    for (const at of ['http://127.0.0.1:9 org_x', cloudAt!.replace(/ .*/, ' org_another')]) {
      await change(id, { cloudAt: at });
      for (const path of [`/api/projects/${id}/cloud`, `/api/projects/${id}`])
        expect([path, (await here('DELETE', path)).status]).toEqual([path, 409]);
      expect((await promote(id)).status).toBe(409);
    }
    expect((await there(`/api/projects/${id}`)).status).toBe(200);
    await change(id, { cloudAt });
    expect((await here('DELETE', `/api/projects/${id}/cloud`)).status).toBe(200);
    expect((await there(`/api/projects/${id}`)).status).toBe(404);
    await change(id, { cloudState: 'home', cloudAt: 'http://127.0.0.1:9 org_x' });
    expect((await here('DELETE', `/api/projects/${id}/cloud?abandon=true`)).status).toBe(200);
    expect(await stateOf(id)).toBeNull();
  });

  it('is removed with its volumes if requested', async () => {
    meanwhile = async () => false;
    const [whole, left, kept] = [await project('whole'), await project('left'), await project('kept')];
    for (const id of [whole, left, kept]) expect((await promote(id)).status).toBe(200);
    await here('POST', `/api/projects/${left}/bring-home`, { deploy: false });
    removals.length = 0;
    for (const path of [`${whole}?volumes=true`, `${left}/cloud?volumes=true`, kept])
      expect((await here('DELETE', `/api/projects/${path}`)).status).toBe(200);
    expect(removals).toEqual([
      `/api/projects/${whole}?volumes=true`,
      `/api/projects/${left}?volumes=true`,
      `/api/projects/${kept}`,
    ]);
  });

  it('may have succeeded without a response, which the list shows soon', async () => {
    const id = await project('unanswered');
    meanwhile = async () => false;
    const deployment = (await promote(id)).body['deployment_id'] as unknown as string;
    two.home.cloud.start();
    const shown = async () =>
      ((await here('GET', `/api/deployments?projectId=${id}`)).body['data'] as unknown as { status: string }[])[0];
    isAnswerLost = true;
    const answer = await here('POST', `/api/deployments/${deployment}/cancel`, {});
    isAnswerLost = false;
    expect([answer.status, answer.body['error']]).toEqual([503, 'cloud_unreachable']);
    expect(answer.body['message']).toContain('may have succeeded');
    await until('the list says so', async () => (await shown())?.status === 'cancelled', 3000);
  });

  it('sends no requests for local deployments and never reveals the token', async () => {
    const id = await project('local');
    const local = idIn(await deployHere(id));
    const before = asked;
    const missing = await here('GET', `/api/deployments/${local}/usage?service=none`);
    expect([missing.status, asked - before, missing.body['error']]).toEqual([404, 0, 'service not found']);
    meanwhile = async () => false;
    const deployment = (await promote(await project('echo'))).body['deployment_id'] as unknown as string;
    isEcho = true;
    const [logs, stream] = [
      await here('GET', `/api/deployments/${deployment}/logs`),
      await here('GET', `/api/deployments/${deployment}/stream`),
    ];
    isEcho = false;
    expect(logs.text).toBe('"Bearer [hidden]"');
    expect(stream.text).toBe('id: 1\nevent: end\ndata: "Bearer [hidden]"\n\n');
  });

  it('rejects a response with a deployment of another project', async () => {
    const [id, other] = [await project('mixed'), await project('up')];
    meanwhile = async () => false;
    expect((await promote(other)).status).toBe(200);
    wrongId = other;
    const answer = await promote(id);
    wrongId = undefined;
    expect([answer.status, answer.body['error'], await stateOf(id)]).toEqual([503, 'cloud_unreachable', null]);
  });

  it('is removed from the cloud if the project is deleted meanwhile', async () => {
    const id = await project('removed');
    meanwhile = async () => {
      await two.home.database.db.deleteFrom('projects').where('id', '=', id).execute();
      return false;
    };
    expect((await promote(id)).status).toBe(404);
    expect((await there(`/api/projects/${id}`)).status).toBe(404);
  });

  it('fails if another cloud is linked meanwhile', async () => {
    // Projects in the cloud would block the new link.
    const all = (await here('GET', '/api/projects')).body['data'] as unknown as { id: string; cloud: string | null }[];
    for (const each of all.filter(({ cloud }) => cloud === 'there'))
      await here('POST', `/api/projects/${each.id}/bring-home`, { deploy: false });
    const id = await project('moved');
    meanwhile = async () => {
      expect((await link(two.url)).status).toBe(200);
      return false;
    };
    expect((await promote(id)).status).toBe(409);
    expect((await here('GET', `/api/projects/${id}`)).body['data']).toMatchObject({ cloud: null });
    expect((await there(`/api/projects/${id}`)).status, 'nobody would know of it').toBe(404);
    expect((await promote(id)).status, 'asked again it is').toBe(200);
  });
});
