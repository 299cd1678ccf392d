import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken as token } from '../../../../test/rig/app.ts';
import { startTwo, type TwoInstances } from '../cloud-rig.ts';

const idIn = ({ body }: Answer) => (body as unknown as { data: { id: string } }).data.id;

describe('a promotion that something happens to', () => {
  let two: TwoInstances;
  let front: Server;
  /** What happens once the cloud has taken a project in, and before we know; true breaks the answer. */
  let meanwhile: () => Promise<boolean>;
  const puts: string[] = [];

  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const sent = await text(request);
    const body = sent ? { body: JSON.parse(sent) as { key: string } } : {};
    const answer = await two.cloud.call(request.method!, request.url!, { token, ...body });
    const isPut = request.method === 'PUT';
    if (isPut) puts.push(body.body!.key);
    const isBroken = isPut && (await meanwhile());
    response.writeHead(isBroken ? 500 : answer.status, { 'content-type': 'application/json' });
    response.end(isBroken ? '{"success":false,"error":"internal","code":"internal"}' : answer.text);
  };

  beforeAll(async () => {
    two = await startTwo();
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
  const promote = (projectId: string) =>
    here('POST', '/api/deployments/build/access', { projectId, deployTarget: 'cloud', autoStart: false });

  it('is the same one after an error of the cloud, which may have begun it', async () => {
    const id = await project('broken');
    meanwhile = async () => true;
    expect((await promote(id)).status).toBe(503);
    meanwhile = async () => false;
    expect((await promote(id)).status).toBe(200);
    expect(new Set(puts).size).toBe(1);
    expect((await there(`/api/deployments?projectId=${id}`)).body['data']).toHaveLength(1);
  });

  it('leaves nothing there of a project that is removed meanwhile', async () => {
    const id = await project('removed');
    meanwhile = async () => {
      await two.home.database.db.deleteFrom('projects').where('id', '=', id).execute();
      return false;
    };
    expect((await promote(id)).status).toBe(404);
    expect((await there(`/api/projects/${id}`)).status).toBe(404);
  });

  it('does not count for a cloud that is linked meanwhile', async () => {
    // The first one lives there, and what lives there keeps its link.
    const [first] = (await here('GET', '/api/projects')).body['data'] as unknown as { id: string }[];
    await here('POST', `/api/projects/${first!.id}/bring-home`, { deploy: false });
    const id = await project('moved');
    meanwhile = async () => {
      expect((await link(two.url)).status).toBe(200);
      return false;
    };
    expect((await promote(id)).status).toBe(409);
    expect((await here('GET', `/api/projects/${id}`)).body['data']).toMatchObject({ cloud: null });
    expect((await promote(id)).status, 'asked again it is').toBe(200);
  });
});
