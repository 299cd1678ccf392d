import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken, type TestApp } from '../../../test/rig/app.ts';
import { selfSigned } from '../../../test/rig/certificate.ts';
import { databaseKindsInFull } from '../../../test/rig/databases.ts';
import { certificateOf, dataOf, ssl, startDomainsApp } from '../../../test/rig/domains.ts';
import { has } from '../../../test/rig/parts.ts';
import { type Pebble, startPebble } from '../../../test/rig/pebble.ts';
import { addServer, projectOn, serversWith } from '../../../test/rig/project-on-server.ts';
import { type SmallEdge, startSmallEdge } from '../../../test/rig/small-edge.ts';
import { until } from '../../../test/rig/until.ts';
import type { Edge } from '../../drivers/edge/edge.ts';

type Shown = { url: string; pointing: { status: string; message: string; fix: string | null } };

describe.runIf(has('pebble')).each(databaseKindsInFull)('domains of a project on a server, on %s', (kind) => {
  let here: SmallEdge;
  let there: SmallEdge;
  let pebble: Pebble;
  let app: TestApp;
  let server: string;
  let isAway = false;
  beforeAll(async () => {
    [here, there] = [await startSmallEdge(), await startSmallEdge()];
    pebble = await startPebble({ httpPort: there.port });
    app = await startDomainsApp(kind, pebble, here, { onServer: serversWith({ web: awayAtTimes(there.edge) }) });
    server = await addServer(app, 'web', there, { baseDomain: 'apps.example.com' });
  });
  afterAll(async () => {
    await app?.close();
    await pebble?.stop();
    await here?.close();
    await there?.close();
  });
  afterEach(() => void (isAway = false));

  /** An edge that is unreachable while `isAway` is set. */
  const awayAtTimes = (edge: Edge): Edge =>
    new Proxy(edge, {
      get: (target, name: keyof Edge) =>
        isAway && name in target && name !== 'url' ? () => Promise.reject(new Error('no route to host')) : target[name],
    });
  const hostsAt = async ({ edge }: SmallEdge) => (await edge.certificates()).map(({ host }) => host);
  const check = async (project: string, name: string) =>
    dataOf(await app.call('POST', `/api/projects/${project}/domains/${name}/check`, { token: ownerToken })) as Shown;
  const live = (project: string, serverId: string | null) =>
    app.database.db.updateTable('projects').set({ serverId }).where('id', '=', project).execute();

  it('are validated and served by the edge of the server only', async () => {
    const name = `own.${kind}.example.org`;
    const { id, slug } = await projectOn(app, server, [name]);
    expect(await check(id, name)).toMatchObject({
      url: `http://${name}:${there.port}`,
      pointing: { status: 'here', message: `${name} points to the server web`, fix: null },
    });
    const renewed = await ssl(app, 'renew', name);
    expect(renewed.status, renewed.text).toBe(200);
    expect(await hostsAt(there)).toContain(name);
    expect(await hostsAt(here)).not.toContain(name);
    expect(here.asked).toEqual([]);
    await until('proofs are taken back', () => there.given.size === 0);
    expect(await app.database.db.selectFrom('domain_proofs').selectAll().execute()).toEqual([]);
    expect(dataOf(await ssl(app, 'status', name))).toMatchObject({ served: { reachable: true, matches: true } });
    expect((await check(id, name)).url).toBe(`https://${name}:${there.tlsPort}`);
    const shown = await app.call('GET', `/api/projects/${id}`, { token: ownerToken });
    expect(dataOf(shown)).toMatchObject({ url: `http://${slug}.apps.example.com:${there.port}` });
    expect((await app.call('GET', '/api/projects', { token: ownerToken })).text).toContain(`${slug}.apps.example.com:`);
  });

  it('are reported as pointing elsewhere if they point to this machine', async () => {
    const name = `wrong.${kind}.example.org`;
    const { id } = await projectOn(app, server, [name]);
    // The edge of this machine answers at that port and forwards the challenge to the service.
    await app.database.db.updateTable('servers').set({ edgePort: here.port }).where('id', '=', server).execute();
    const { pointing } = await check(id, name);
    await app.database.db.updateTable('servers').set({ edgePort: there.port }).where('id', '=', server).execute();
    expect(pointing).toMatchObject({ status: 'elsewhere', fix: expect.stringContaining('203.0.113.7') });
  });

  it('move their certificates with the project and leave no key behind', async () => {
    const name = `moving.${kind}.example.org`;
    const { id, deploymentId } = await projectOn(app, server, [name]);
    expect((await certificateOf(app, id, name).put(selfSigned(name))).status).toBe(200);
    expect([await hostsAt(there), await hostsAt(here)]).toEqual([expect.arrayContaining([name]), []]);
    await app.database.db.updateTable('deployments').set({ active: 0 }).where('id', '=', deploymentId).execute();
    await app.database.db
      .updateTable('deployments')
      .set({ status: 'cancelled' })
      .where('id', '=', deploymentId)
      .execute();
    const moved = await app.call('PATCH', `/api/projects/${id}`, { token: ownerToken, body: { serverId: null } });
    expect(moved.status, moved.text).toBe(200);
    // The certificate is not reported before the new edge has it.
    expect(dataOf(await ssl(app, 'status', name))).toMatchObject({ stored: null });
    app.domains.start();
    await until('it is here', async () => (await hostsAt(here)).includes(name));
    await until('it is not there', async () => !(await hostsAt(there)).includes(name));
    expect(dataOf(await ssl(app, 'status', name))).toMatchObject({ stored: { source: 'uploaded' } });
    const path = `/api/projects/${id}/domains/${name}`;
    expect((await app.call('DELETE', path, { token: ownerToken })).status).toBe(200);
    await until('it is nowhere', async () => !(await hostsAt(here)).includes(name));
  });

  it('wait for an unreachable server without delaying others', async () => {
    const [away, other] = [`away.${kind}.example.org`, `other.${kind}.example.org`];
    const { id } = await projectOn(app, server, [away]);
    const neighbour = await projectOn(app, server, [other]);
    await live(neighbour.id, null);
    isAway = true;
    expect((await check(id, away)).pointing).toMatchObject({
      status: 'unreachable',
      message: 'the server web cannot be given the ACME challenge: no route to host',
    });
    const put = await certificateOf(app, id, away).put(selfSigned(away));
    expect(dataOf(put)).toMatchObject({
      warnings: expect.arrayContaining([expect.stringMatching(/no route to host/)]),
    });
    expect(dataOf(await ssl(app, 'status', away))).toMatchObject({ stored: null });
    expect((await certificateOf(app, neighbour.id, other).put(selfSigned(other))).status).toBe(200);
    expect(await hostsAt(here)).toContain(other);
    isAway = false;
    app.domains.soon();
    await until('it has it', async () => (await hostsAt(there)).includes(away));
    await until('it is shown', async () => (dataOf(await ssl(app, 'status', away)) as { stored: unknown }).stored);
  });
});
