import { existsSync, readdirSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { selfSigned } from '../rig/certificate.ts';
import { deploy, ensureProject, folderOf, json, nodeApp } from '../rig/deploy.ts';
import { makeImage } from '../rig/docker-images.ts';
import { nodeBase } from '../rig/docker-service.ts';
import { type ManagedServer, startManagedServer } from '../rig/managed-server.ts';
import { has } from '../rig/parts.ts';
import { type Pebble, startPebble } from '../rig/pebble.ts';
import { freePort } from '../rig/ports.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

type Status = { stored: { fingerprint: string; source: string } | null; served: { fingerprint: string | null } };
type Shown = { name: string; url: string; pointing: { status: string; fix: string | null } };

const own = 'www.example.org';
const free = 'shop.web.example.com';

describe.runIf(has('docker') && has('sshd') && has('pebble'))('domains of a project on a server', () => {
  let server: ManagedServer;
  let pebble: Pebble;
  let service: Service;
  let project: string;
  let ports: { port: number; tlsPort: number };
  let ca: string;
  beforeAll(async () => {
    // The authority uses the same port for every machine.
    ports = { port: await freePort(), tlsPort: await freePort() };
    server = await startManagedServer('web');
    await makeImage(server.docker.client, nodeBase());
    pebble = await startPebble({ httpPort: ports.port });
    ca = await pebble.root();
    for (const name of [own, free]) await pebble.lead(name, [server.address]);
    const env = {
      MOORING_EDGE_PORT: String(ports.port),
      MOORING_EDGE_TLS_PORT: String(ports.tlsPort),
      MOORING_BASE_DOMAIN: 'apps.example.com',
      MOORING_ACME_DIRECTORY: pebble.directory,
      MOORING_ACME_CA_FILE: pebble.caFile,
      MOORING_DNS_SERVERS: pebble.dnsServer,
      MOORING_SSH_TIMEOUT: '5',
      MOORING_ENGINE_TIMEOUT: '10',
    };
    service = await startService({ env });
    const body = { ...server.body, edgePort: ports.port, edgeTlsPort: ports.tlsPort, baseDomain: 'web.example.com' };
    const { data } = await json<{ data: { id: string } }>(service.post('/api/servers', body));
    project = await ensureProject(service, 'shop');
    const made = await deploy(service, project, nodeApp('open'), { deployTarget: 'server', serverId: data.id });
    expect(made).toMatchObject({ status: 'ready', error: null });
  });
  afterAll(async () => {
    await service?.stop();
    await pebble?.stop();
    await server?.close();
  });

  const send = (method: string, path: string, body?: object) =>
    fetch(service.url + path, {
      method,
      headers: { authorization: `Bearer ${ownerToken}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  const status = async (domain: string): Promise<Status> =>
    (await json<{ data: Status }>(service.post('/api/deployments/ssl/status', { domain }))).data;
  const served = (domain: string, other?: string) =>
    until(
      `the certificate of ${domain} is served`,
      async () => {
        const { stored, served: seen } = await status(domain);
        const isServed = stored && stored.fingerprint === seen.fingerprint && stored.fingerprint !== other;
        return isServed ? stored.fingerprint : '';
      },
      70_000,
    );
  /** Like a browser that trusts this authority. */
  const ask = (host: string, trusted = ca, address = server.address) =>
    new Promise<string>((resolve, reject) => {
      const to = { host: address, port: ports.tlsPort, servername: host, headers: { host }, ca: trusted, agent: false };
      const call = request({ ...to, timeout: 5000 });
      call.once('error', reject).once('timeout', () => call.destroy(new Error('it takes too long')));
      call.once('response', (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.once('end', () => resolve(text));
      });
      call.end();
    });
  const keptHere = () => {
    const folder = join(service.dataDir, 'edge-certificates');
    return existsSync(folder) ? readdirSync(folder).join(' ') : '';
  };
  const upload = (certificate: { cert: string; key: string }) =>
    send('PUT', `/api/projects/${project}/domains/${own}/certificate`, {
      certificate: certificate.cert,
      privateKey: certificate.key,
    });

  it('are validated and secured by its edge, renewed there, and their keys are nowhere else', async () => {
    const added = await json<{ data: Shown }>(send('POST', `/api/projects/${project}/domains`, { name: own }));
    expect(added.data.url).toBe(`http://${own}:${ports.port}`);
    const checked = await json<{ data: Shown }>(send('POST', `/api/projects/${project}/domains/${own}/check`));
    expect(checked.data.pointing).toMatchObject({ status: 'here', fix: null });
    const first = await served(own);
    await served(free);
    for (const name of [own, free]) expect(await ask(name)).toBe('open');
    const { data } = await json<{ data: { url: string } }>(service.get(`/api/projects/${project}`));
    expect(data.url).toBe(`http://${free}:${ports.port}`);

    const renewed = await service.post('/api/deployments/ssl/renew', { domain: own });
    expect(renewed.status, await renewed.clone().text()).toBe(200);
    await served(own, first);
    expect(await ask(own)).toBe('open');
    expect(keptHere()).toBe('');
    await expect(ask(own, ca, '127.0.0.1')).rejects.toThrow();
  });

  it('serve an uploaded certificate, and the issued one again after its removal', async () => {
    const mine = selfSigned(own);
    expect((await upload(mine)).status).toBe(200);
    expect(await ask(own, mine.cert)).toBe('open');
    await expect(ask(own)).rejects.toThrow(/self-signed|certificate/);
    expect((await send('DELETE', `/api/projects/${project}/domains/${own}/certificate`)).status).toBe(200);
    await served(own);
    expect(await ask(own)).toBe('open');
  });

  it('are counted in the traffic', async () => {
    for (let i = 0; i < 20; i++) await ask(own);
    type Traffic = { data: { totals: { requests: number; statuses: Record<string, number> } } };
    const counted = await until(
      'they are counted',
      async () => {
        const { totals } = (await json<Traffic>(service.get(`/api/projects/${project}/traffic?window=1h`))).data;
        return totals.requests >= 20 ? totals : undefined!;
      },
      40_000,
    );
    expect(counted.statuses['2xx']).toBeGreaterThanOrEqual(20);
  });

  it('keep serving while the server is unreachable, delay nothing else, and catch up afterwards', async () => {
    await server.sshd.switchOff();
    const away = await service.post('/api/deployments/ssl/renew', { domain: own });
    expect([away.status, await away.text()]).toEqual([400, expect.stringMatching(/the server web/)]);
    expect(await ask(own)).toBe('open');
    const mine = selfSigned(own);
    const late = await json<{ data: { warnings: string[] } }>(upload(mine));
    expect(late.data.warnings).toContainEqual(expect.stringMatching(/the edge does not have it yet/));
    // Local domains get their certificates in the meantime.
    const local = await ensureProject(service, 'local');
    await deploy(service, local, folderOf({ 'index.html': 'here' }));
    await served('local.apps.example.com');
    expect(await ask('local.apps.example.com', ca, '127.0.0.1')).toBe('here');
    expect(keptHere()).not.toContain(own);

    await server.sshd.switchOn();
    await until('the server has it', () => ask(own, mine.cert).catch(() => ''), 60_000);
    await until('it is shown', async () => (await status(own)).stored?.source === 'uploaded');
  }, 180_000);

  it('are removed there with their certificates', async () => {
    expect((await send('DELETE', `/api/projects/${project}/domains/${own}`)).status).toBe(200);
    await until(
      'it is not served',
      () =>
        ask(own).then(
          () => false,
          (error: NodeJS.ErrnoException) => error.code !== 'ECONNREFUSED' && !/self-signed/.test(error.message),
        ),
      40_000,
    );
    expect(await ask(free)).toBe('open');
  });
});
