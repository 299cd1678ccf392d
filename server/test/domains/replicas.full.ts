import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { ensureProject, json } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { has } from '../rig/parts.ts';
import { startPebble } from '../rig/pebble.ts';
import { freePort } from '../rig/ports.ts';
import { newDatabase, query, startPostgres } from '../rig/postgres.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

type Data = {
  stored: { fingerprint: string } | null;
  served: { fingerprint: string | null; chain: string | null };
  order: { status: string; attempts: number } | null;
};

describe.runIf(has('pebble') && has('postgres'))('certificates of replicas on one PostgreSQL', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  async function stage(databaseUrl: string, options: { sleep?: number } = {}) {
    const port = await freePort();
    const pebble = await startPebble({ httpPort: port, ...options });
    closing.push(() => pebble.stop());
    const root = join(newFolder('root'), 'root.pem');
    writeFileSync(root, await pebble.root());
    const shared = {
      DATABASE_URL: databaseUrl,
      MOORING_SECRET_KEY: randomBytes(32).toString('base64'),
      MOORING_ACME_DIRECTORY: pebble.directory,
      MOORING_ACME_CA_FILE: pebble.caFile,
      MOORING_DNS_SERVERS: pebble.dnsServer,
      MOORING_LOG_LEVEL: 'warn',
      // As if the authority were publicly trusted.
      NODE_EXTRA_CA_CERTS: root,
    };
    /** The authority validates at the edge of the first replica. */
    const start = async (edgePort = port): Promise<Service> => {
      const tlsPort = await freePort();
      const env = { ...shared, MOORING_EDGE_PORT: String(edgePort), MOORING_EDGE_TLS_PORT: String(tlsPort) };
      const service = await startService({ env });
      closing.push(() => service.stop());
      return service;
    };
    return { pebble, start };
  }
  const status = async (service: Service, domain: string) =>
    (await json<{ data: Data }>(service.post('/api/deployments/ssl/status', { domain }))).data;
  const renew = (service: Service, domain: string) => service.post('/api/deployments/ssl/renew', { domain });
  const served = (service: Service, domain: string, other?: string) =>
    until(
      `${domain} is served`,
      async () => {
        const { stored, served: seen } = await status(service, domain);
        return stored && stored.fingerprint === seen.fingerprint && stored.fingerprint !== other ? stored : undefined;
      },
      60_000,
    );
  async function addNames(service: Service, names: string[]): Promise<void> {
    const project = await ensureProject(service, 'shop');
    for (const name of names) await json(service.post(`/api/projects/${project}/domains`, { name }));
  }

  it('take one order per name, whichever replica orders and renews', async () => {
    const databaseUrl = await newDatabase(inject('postgresUrl'));
    const { pebble, start } = await stage(databaseUrl, { sleep: 2 });
    const first = await start();
    const second = await start(await freePort());
    const names = ['a', 'b', 'c', 'd'].map((each) => `${each}.example.com`);
    await addNames(first, names);
    for (const name of names) await Promise.all([first, second].map((each) => served(each, name)));
    expect(pebble.orders(), 'by themselves').toBe(names.length);
    expect((await status(second, names[0]!)).served.chain).toBe('trusted');

    const before = await status(first, names[0]!);
    const answers = await Promise.all(
      [first, second, first, second, first, second].map((each) => renew(each, names[0]!)),
    );
    expect(answers.map((each) => each.status)).toEqual(answers.map(() => 200));
    const bodies = await Promise.all(answers.map((each) => each.json() as Promise<{ data: { fingerprint: string } }>));
    const prints = new Set(bodies.map(({ data }) => data.fingerprint));
    expect([prints.size, prints.has(before.stored!.fingerprint)]).toEqual([1, false]);
    expect(pebble.orders(), 'because six have asked').toBe(names.length + 1);
    for (const each of [first, second])
      expect((await status(each, names[0]!)).served.fingerprint, 'its edge has it').toBe([...prints][0]);

    // All are due in the next round of both replicas.
    const old = await Promise.all(names.map((name) => status(first, name)));
    const [born, over] = [-60, 1].map((days) => Date.now() + days * 86_400_000);
    await query(databaseUrl, `update certificates set not_before = ${born}, not_after = ${over}`);
    for (const [i, name] of names.entries()) await served(first, name, old[i]!.stored!.fingerprint);
    await sleep(16_000);
    expect(pebble.orders(), 'because they were due').toBe(2 * names.length + 1);
    const counted = await query(databaseUrl, 'select reason, count(*)::int as n from authority_orders group by 1');
    expect(counted).toHaveLength(3);
    sayFigures('orders of two replicas', { names: names.length, orders: pebble.orders(), counted });
  }, 180_000);

  it('are issued despite a PostgreSQL outage of any length, at any time', async () => {
    const postgres = await startPostgres();
    closing.push(() => postgres.stop());
    const { pebble, start } = await stage(await newDatabase(postgres.url), { sleep: 4 });
    const service = await start();
    const pausesMs = [0, 1500, 3000, 8000];
    for (const [i, awayMs] of pausesMs.entries()) {
      const name = `away${i}.example.com`;
      await addNames(service, [name]);
      const before = pebble.orders();
      await until('the authority has the order', () => pebble.orders() > before);
      await postgres.stop();
      await sleep(awayMs);
      await postgres.start();
      await served(service, name);
      expect((await status(service, name)).order).toMatchObject({ status: 'done', attempts: 0 });
      expect([name, pebble.orders() - before]).toEqual([name, 1]);
      expect(service.child.exitCode).toBeNull();
    }
    sayFigures('orders with PostgreSQL away', { names: pausesMs.length, orders: pebble.orders() });
  }, 180_000);
});
