import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { databaseKinds } from '../../../test/rig/databases.ts';
import { memoryDrivers } from '../../../test/rig/drivers.ts';
import { projectWith } from '../../../test/rig/domains.ts';
import { addServer, projectOn } from '../../../test/rig/project-on-server.ts';
import { foreignOrganization } from '../../../test/rig/people.ts';
import type { Edge, EdgeTraffic, TrafficMinute } from '../../drivers/edge/edge.ts';
import { createLog } from '../../lib/log.ts';
import { EdgeLocations } from './edges/edge-locations.ts';
import { NameResolver } from './pointing/resolver.ts';
import { noTraffic } from './traffic/histogram.ts';
import { TrafficCollector } from './traffic/collector.ts';

type Figures = { requests: number; statuses: Record<string, number>; latencyMs: { p50: number | null } };
type Traffic = { totals: Figures; points: (Figures & { at: string })[]; stepSeconds: number };
const minuteMs = 60_000;

describe.each(databaseKinds)('traffic of a project on %s', (kind) => {
  let app: TestApp;
  let project: string;
  let counted: EdgeTraffic = { run: 'a', minutes: [] };
  let collector: TrafficCollector;
  beforeAll(async () => {
    app = await startApp(kind);
    project = await projectWith(app, []);
    const edge = { ...memoryDrivers().edge, traffic: async () => counted };
    collector = collectorOf(edge);
  });
  afterAll(() => app.close());

  function collectorOf(edge: Edge): TrafficCollector {
    const { db } = app.database;
    const resolver = new NameResolver({ servers: undefined, reach: 'private' });
    const places = new EdgeLocations({
      db,
      kind,
      owner: 'test',
      edge,
      baseDomain: 'localhost',
      addresses: () => [],
      resolver,
    });
    return new TrafficCollector({ db, places, log: createLog('silent', 'json') });
  }

  const now = Date.now();
  const minute = Math.floor(now / minuteMs);
  const asked = (at: number, requests: number, failed = 0, id = project): TrafficMinute => ({
    key: `${id}/production`,
    minute: at,
    requests,
    statuses: [0, requests - failed, 0, 0, failed],
    bytesIn: requests,
    bytesOut: 10 * requests,
    latency: noTraffic().latency.map((_, i) => (i === 4 ? requests : 0)),
  });
  const shown = async (query = '', token = ownerToken) => {
    const answer = await app.call('GET', `/api/projects/${project}/traffic${query}`, { token });
    return { status: answer.status, data: (answer.body as unknown as { data: Traffic }).data };
  };

  it('is empty at first', async () => {
    const { status, data } = await shown();
    expect([status, data.totals.requests, data.points]).toEqual([200, 0, []]);
    expect(data.totals.latencyMs.p50).toBeNull();
  });

  it('counts each run of an edge once, however often it is collected', async () => {
    counted = {
      run: 'a',
      minutes: [asked(minute - 2, 100, 5), asked(minute - 1, 10), asked(minute, 1, 0, 'prj_gone')],
    };
    await collector.collect(now);
    await collector.collect(now);
    counted = { run: 'a', minutes: [asked(minute - 1, 30)] };
    await collector.collect(now);
    counted = { run: 'b', minutes: [asked(minute - 1, 7)] };
    await collector.collect(now);
    const { data } = await shown('?window=1h');
    expect(data.totals).toMatchObject({ requests: 137, statuses: { '2xx': 132, '5xx': 5 } });
    expect(data.points.map(({ requests }) => requests)).toEqual([100, 37]);
    expect(data.points[0]!.at).toBe(new Date((minute - 2) * minuteMs).toISOString());
    expect(data.totals.latencyMs.p50).toBeGreaterThan(0);
  });

  it('is aggregated to hours after a day and deleted after a month', async () => {
    const old = minute - 30 * 60;
    counted = { run: 'a', minutes: [asked(old, 4), asked(old + 1, 6)] };
    await collectorOf({ ...memoryDrivers().edge, traffic: async () => counted }).collect(now);
    await Promise.all([collector.tidy(now), collector.tidy(now)]);
    const spans = await app.database.db.selectFrom('traffic').select(['span', 'requests']).execute();
    const hours = spans.filter(({ span }) => span === 'hour');
    expect(hours.reduce((sum, { requests }) => sum + requests, 0)).toBe(10);
    expect((await shown('?window=7d')).data.totals.requests).toBe(147);
    await collector.tidy(now + 40 * 86_400_000);
    expect(await app.database.db.selectFrom('traffic').selectAll().execute()).toEqual([]);
  });

  it('is accepted from the server of the project as far as it is plausible', async () => {
    const { db } = app.database;
    const server = await addServer(app, 'web', { port: 80, tlsPort: 443 });
    const { id } = await projectOn(app, server, []);
    const edge = { ...memoryDrivers().edge, traffic: async () => counted };
    const place = { ...(await app.domains.places.ofProject(id)), edge: async () => edge };
    const requestsOf = async (projectId: string) => {
      const rows = await db.selectFrom('traffic').select('requests').where('projectId', '=', projectId).execute();
      return rows.reduce((sum, { requests }) => sum + requests, 0);
    };
    const before = await requestsOf(project);
    const mine = asked(minute, 5, 0, id);
    counted = {
      run: 'there',
      minutes: [
        mine,
        asked(minute, 1000),
        { ...mine, key: `${id}/made-up` },
        { ...mine, minute: minute + 1000 },
        { ...mine, minute: minute - 1000 },
        { ...mine, minute: minute - 1, requests: -1 },
        { ...mine, minute: minute - 2, latency: [1] },
        // Sums of these would exceed the safe integer range and break reading the hour.
        { ...mine, minute: minute - 3, requests: Number.MAX_SAFE_INTEGER },
        { ...mine, minute: minute - 4, bytesOut: Number.MAX_SAFE_INTEGER },
        { ...mine, requests: 3 },
        mine,
      ],
    };
    await collector.collect(now, place);
    expect([await requestsOf(id), await requestsOf(project)]).toEqual([5, before]);
    counted = { run: 'here', minutes: [asked(minute, 7, 0, id)] };
    await collector.collect(now);
    expect(await requestsOf(id)).toBe(5);
    await db.deleteFrom('traffic').where('projectId', '=', id).execute();
  });

  it('is visible to members who can see the project', async () => {
    const stranger = await foreignOrganization(app);
    expect((await shown('', stranger.token)).status).toBe(404);
    expect((await shown('?window=2h')).status).toBe(400);
  });
});
