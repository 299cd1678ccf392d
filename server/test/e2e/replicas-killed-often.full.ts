import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, begin, type DeploymentJson, ensureProject, get, json, nodeApp } from '../rig/deploy.ts';
import { dockerApp } from '../rig/docker-app.ts';
import { makeImage, node } from '../rig/docker-images.ts';
import { sayFigures } from '../rig/figures.ts';
import { type GitServer, startGitServer } from '../rig/git-server.ts';
import { type Killable, startKillable } from '../rig/killable.ts';
import { type ManagedServer, startManagedServer } from '../rig/managed-server.ts';
import { has } from '../rig/parts.ts';
import { newDatabase, type Postgres, query, startPostgres } from '../rig/postgres.ts';
import type { Service } from '../rig/service.ts';
import { until } from '../rig/until.ts';

const [killEveryMs, downMs, databaseDownMs] = [10_000, 4000, 30_000];
/** On a slow machine the same step would be killed three times, and a deployment fails then. */
const killAfter = (deploymentMs: number): number => Math.max(killEveryMs - downMs, 2 * deploymentMs);
/** Every fifth cannot be built, and must fail. */
const isBroken = (n: number): boolean => n % 5 === 4;

type Lane = { name: string; from: 'upload' | 'git'; on: 'server' | 'replica'; count: number };
const lanes: Lane[] = [
  { name: 'one', from: 'upload', on: 'server', count: 20 },
  { name: 'two', from: 'git', on: 'server', count: 20 },
  { name: 'three', from: 'upload', on: 'replica', count: 30 },
  { name: 'four', from: 'git', on: 'replica', count: 30 },
];
const total = lanes.reduce((sum, { count }) => sum + count, 0);

describe.runIf(has('docker') && has('sshd') && has('postgres'))('two replicas, one killed every 10 s', () => {
  let postgres: Postgres;
  let database: string;
  let server: ManagedServer;
  let git: GitServer;
  let replicas: [Killable, Killable];
  let serverId: string;
  const closing: (() => unknown)[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
    closing.push(() => postgres.stop());
    server = await startManagedServer();
    closing.push(() => server.close());
    await makeImage(server.docker.client, node);
    git = await startGitServer();
    closing.push(() => git.stop());
    database = await newDatabase(postgres.url);
    const env = {
      DATABASE_URL: database,
      MOORING_SECRET_KEY: randomBytes(32).toString('base64'),
      MOORING_LOG_LEVEL: 'error',
    };
    replicas = [await startKillable(env), await startKillable(env)];
    closing.push(...replicas.map((each) => () => each.now.stop()));
    const body = { ...server.body, edgePort: 8080, edgeTlsPort: 8443, baseDomain: 'apps.example.com' };
    serverId = (await json<{ data: { id: string } }>(replicas[0].now.post('/api/servers', body))).data.id;
  }, 120_000);
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  /** Asks one replica and then the other, as a client behind a balancer does, until one answers. */
  let turn = 0;
  const patiently = <T>(what: string, act: (service: Service) => Promise<T>): Promise<T> =>
    until(what, () => act(replicas[turn++ % 2]!.now), 180_000);

  const sourceFolder = ({ on }: Lane, version: string, broken: boolean): string => {
    const scripts: Record<string, string> = broken ? { build: 'exit 3' } : {};
    return on === 'server' ? dockerApp(version, { scripts }) : nodeApp(version, '', scripts);
  };

  async function begun(lane: Lane, project: string, folder: string, version: string): Promise<string> {
    if (lane.from === 'upload')
      return patiently('an upload begins', (service) => begin(service, project, folder, { environment: 'production' }));
    git.push(lane.name, folder, version);
    const asked = { projectId: project };
    return patiently(
      'a deployment begins',
      async (service) => (await json<{ data: { id: string } }>(service.post('/api/deployments', asked))).data.id,
    );
  }

  const over = (id: string): Promise<DeploymentJson> =>
    until(
      `${id} ends`,
      async () => {
        const found = await patiently('its state', (service) => get(service, id));
        return ['ready', 'failed', 'cancelled'].includes(found.status) ? found : undefined!;
      },
      600_000,
    );

  async function run(lane: Lane, first: number, last: number): Promise<void> {
    const { name, from, on } = lane;
    const source = from === 'git' ? { source: { type: 'git', url: git.url(name), branch: 'main' } } : {};
    const where = on === 'server' ? { serverId } : {};
    const project = await patiently('a project', (service) => ensureProject(service, name, { ...source, ...where }));
    let serving = '';
    for (let n = first; n < last; n++) {
      const version = `${name}-${n}`;
      const id = await begun(lane, project, sourceFolder(lane, version, isBroken(n)), version);
      const { status, error, urls } = await over(id);
      const expected = isBroken(n) ? ['failed', 'build'] : ['ready', undefined];
      expect([status, error?.step], `${version}: ${error?.message}`).toEqual(expected);
      if (!isBroken(n)) serving = version;
      if (on === 'server' && urls[0]) expect((await ask(urls[0], '/', 'GET', server.address)).body).toBe(serving);
    }
  }

  it(`all ${total} deployments end as they should, with every event`, async () => {
    // The first one also sets the server up.
    let slowestMs = 0;
    for (const lane of lanes) {
      const started = Date.now();
      await run(lane, 0, 1);
      if (lane !== lanes[0]) slowestMs = Math.max(slowestMs, Date.now() - started);
    }
    const began = Date.now();
    const stopping = new AbortController();
    let kills = 0;
    const killing = (async () => {
      for (let n = 0; !stopping.signal.aborted; n++) {
        await sleep(killAfter(slowestMs));
        const victim = replicas[n % 2]!;
        await victim.kill();
        kills++;
        await sleep(downMs);
        // PostgreSQL goes away while one replica is down.
        if (n === 4) {
          await postgres.stop();
          await sleep(databaseDownMs);
          await postgres.start();
        }
        await victim.start();
      }
    })();
    try {
      await Promise.all(lanes.map((lane) => run(lane, 1, lane.count)));
    } finally {
      stopping.abort();
      await killing;
    }
    await until(
      'all is at rest',
      async () => {
        const held = await query(database, 'select id from deployments where lease_owner is not null');
        return !held.length;
      },
      60_000,
    );
    const rows = (await query(
      database,
      `select d.id, d.status, d.last_seq, count(e.seq) as events, min(e.seq) as first, max(e.seq) as last,
        count(*) filter (where e.type = 'end') as ends
        from deployments d left join deployment_events e on e.deployment_id = d.id group by d.id order by d.id`,
    )) as Record<string, string>[];
    const statuses = Object.groupBy(rows, ({ status }) => status!);
    const counts = Object.fromEntries(Object.entries(statuses).map(([status, of]) => [status, of!.length]));
    sayFigures('deployments', { ...counts, kills, slowestMs, seconds: Math.round((Date.now() - began) / 1000) });
    expect(rows.length).toBeGreaterThanOrEqual(total);
    const isWhole = ({ last_seq: seq, events, first, last, ends }: Record<string, string>) =>
      [first, ends].every((each) => Number(each) === 1) && new Set([seq, events, last].map(Number)).size === 1;
    const odd = rows.filter((row) => !isWhole(row));
    expect(odd).toEqual([]);
    expect(Object.keys(statuses).toSorted()).toEqual(['failed', 'ready']);
  }, 1_800_000);
});
