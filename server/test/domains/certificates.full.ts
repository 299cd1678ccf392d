import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { deploy, ensureProject, folderOf } from '../rig/deploy.ts';
import { has } from '../rig/parts.ts';
import { type Pebble, startPebble } from '../rig/pebble.ts';
import { freePort } from '../rig/ports.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

type Data = {
  stored: { fingerprint: string; validTo: string } | null;
  served: { fingerprint: string | null; reachable: boolean };
  order: { status: string } | null;
};

describe.runIf(has('pebble'))('certificates through the edge', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  async function stage(options: { validity?: number; sleep?: number } = {}) {
    const [port, tlsPort] = [await freePort(), await freePort()];
    const pebble: Pebble = await startPebble({ httpPort: port, ...options });
    closing.push(() => pebble.stop());
    const dataDir = newFolder('data');
    const env = {
      MOORING_EDGE_PORT: String(port),
      MOORING_EDGE_TLS_PORT: String(tlsPort),
      MOORING_BASE_DOMAIN: 'apps.example.com',
      MOORING_ACME_DIRECTORY: pebble.directory,
      MOORING_ACME_CA_FILE: pebble.caFile,
      MOORING_DNS_SERVERS: pebble.dnsServer,
      MOORING_LOG_LEVEL: 'debug',
    };
    const start = async (): Promise<Service> => startService({ dataDir, env });
    return { pebble, start, dataDir, tlsPort, ca: await pebble.root() };
  }

  const status = async (service: Service, domain: string): Promise<Data> =>
    ((await (await service.post('/api/deployments/ssl/status', { domain })).json()) as { data: Data }).data;
  const served = (service: Service, domain: string, other?: string) =>
    until(
      'the certificate is served',
      async () => {
        const { stored, served: seen } = await status(service, domain);
        return stored && stored.fingerprint === seen.fingerprint && stored.fingerprint !== other
          ? stored.fingerprint
          : '';
      },
      70_000,
    );

  /** Like a browser that trusts this authority. */
  const ask = (port: number, host: string, ca: string) =>
    new Promise<string>((resolve, reject) => {
      const call = request({ host: '127.0.0.1', port, servername: host, headers: { host }, ca, agent: false });
      call.once('error', reject);
      call.once('response', (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.once('end', () => resolve(text));
      });
      call.end();
    });

  async function deploySite(service: Service): Promise<string> {
    const project = await ensureProject(service, 'shop');
    await deploy(service, project, folderOf({ 'index.html': 'open' }));
    return 'shop.apps.example.com';
  }

  it('are issued with the first release, renewed without losing a request, and keep their keys private', async () => {
    const { start, dataDir, tlsPort, ca } = await stage();
    const service = await start();
    closing.push(() => service.stop());
    const name = await deploySite(service);
    const first = await served(service, name);
    expect(await ask(tlsPort, name, ca)).toBe('open');

    const failures: string[] = [];
    let requests = 0;
    const over = new AbortController();
    const visit = async () => {
      while (!over.signal.aborted) {
        await ask(tlsPort, name, ca).then(
          (text) => text === 'open' || failures.push(text),
          (error: Error) => failures.push(error.message),
        );
        requests++;
      }
    };
    const visitors = [visit(), visit()];
    const answers = await Promise.all(
      [1, 2, 3].map(() => service.post('/api/deployments/ssl/renew', { domain: name })),
    );
    expect(answers.map((each) => each.status)).toEqual([200, 200, 200]);
    const second = await served(service, name, first);
    over.abort();
    await Promise.all(visitors);
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(10);
    expect(second).not.toBe(first);

    const folder = join(dataDir, 'edge-certificates');
    const kept = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
    const key = /BEGIN PRIVATE KEY-----(?:\\n|\n)([A-Za-z0-9+/]{60})/.exec(kept.join('\n'))![1]!;
    const database = ['mooring.db', 'mooring.db-wal'].map((file) => readFileSync(join(dataDir, file), 'latin1'));
    const said = [service.output(), ...database, await (await service.get('/api/audit')).text()];
    for (const text of [...said, ...(await Promise.all(answers.map((each) => each.text())))]) {
      expect(text.includes(key)).toBe(false);
      expect(text).not.toContain('BEGIN PRIVATE KEY');
    }
  });

  it('are completed after a kill -9 during an order, while the previous one serves', async () => {
    const { start, tlsPort, ca, pebble } = await stage({ sleep: 3 });
    const killed = await start();
    const name = await deploySite(killed);
    const first = await served(killed, name);
    const before = pebble.orders();
    const lost = killed.post('/api/deployments/ssl/renew', { domain: name }).catch(() => 'cut off');
    await until('the authority has the order', () => pebble.orders() > before);
    await killed.stop('SIGKILL');
    expect(await lost).toBe('cut off');
    expect(await ask(tlsPort, name, ca)).toBe('open');
    const service = await start();
    closing.push(() => service.stop());
    await served(service, name, first);
    expect((await status(service, name)).order).toMatchObject({ status: 'done' });
    expect(await ask(tlsPort, name, ca)).toBe('open');
  });

  it('are renewed in time when they are short-lived', async () => {
    const { start, tlsPort, ca } = await stage({ validity: 60 });
    const service = await start();
    closing.push(() => service.stop());
    const name = await deploySite(service);
    const first = await served(service, name);
    const { stored } = await status(service, name);
    await served(service, name, first);
    expect(Date.now()).toBeLessThan(Date.parse(stored!.validTo));
    expect(await ask(tlsPort, name, ca)).toBe('open');
  }, 120_000);
});
