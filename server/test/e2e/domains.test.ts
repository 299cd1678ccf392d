import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { begin, deploy, ended, ensureProject, events, get, json, nodeApp } from '../rig/deploy.ts';
import { has } from '../rig/parts.ts';
import { type Pebble, startPebble } from '../rig/pebble.ts';
import { freePort } from '../rig/ports.ts';
import { secureVisitor, visitAllTheTime } from '../rig/secure-visitor.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

type Domain = {
  name: string;
  url: string;
  pointing: { status: string } | null;
  certificate: { issuer: string; daysLeft: number } | null;
  action: { required: boolean; message: string | null };
};

describe.runIf(has('pebble'))('domains, with a real certificate authority and the real edge', () => {
  let service: Service;
  let pebble: Pebble;
  let project: string;
  let visit: ReturnType<typeof secureVisitor>;
  let [port, tlsPort] = [0, 0];

  beforeAll(async () => {
    [port, tlsPort] = [await freePort(), await freePort()];
    pebble = await startPebble({ httpPort: port });
    service = await startService({
      env: {
        MOORING_EDGE_PORT: String(port),
        MOORING_EDGE_TLS_PORT: String(tlsPort),
        MOORING_ACME_DIRECTORY: pebble.directory,
        MOORING_ACME_CA_FILE: pebble.caFile,
        MOORING_DNS_SERVERS: pebble.dnsServer,
        MOORING_LOG_LEVEL: 'warn',
      },
    });
    visit = secureVisitor(await pebble.root(), () => tlsPort);
    project = await ensureProject(service, 'shop');
    await deploy(service, project, nodeApp('v1'));
  });
  afterAll(async () => {
    await service?.stop();
    await pebble?.stop();
  });

  const at = (name = '', id = project) => `/api/projects/${id}/domains${name && `/${name}`}`;
  const add = async (body: object, id = project) => (await json<{ data: Domain }>(service.post(at('', id), body))).data;
  const list = async (id = project) => (await json<{ data: Domain[] }>(service.get(at('', id)))).data;
  const remove = (name: string) =>
    fetch(service.url + at(name), { method: 'DELETE', headers: { authorization: `Bearer ${ownerToken}` } });
  const plain = (host: string, path = '/') =>
    new Promise<{ status: number; body: string; location: string | undefined }>((resolve, reject) => {
      const call = request({ host: '127.0.0.1', port, path, headers: { host }, agent: false }, (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (part: string) => (body += part));
        const { location } = answer.headers;
        answer.once('end', () => resolve({ status: answer.statusCode!, body, location }));
      });
      call.once('error', reject).end();
    });
  /** The database has it a moment before the edge. */
  const isSecure = (name: string) =>
    until(`${name} has a certificate`, async () => {
      const found = (await list()).find((each) => each.name === name)?.certificate;
      return found && visit(name).then(() => found);
    });

  it('respond at once, then over HTTPS with an automatically issued certificate', async () => {
    const added = await add({ name: 'shop.example.com', hstsSeconds: 600 });
    expect(added.url).toBe(`http://shop.example.com:${port}`);
    expect((await plain('shop.example.com')).body).toBe('v1');
    const certificate = await isSecure('shop.example.com');
    expect(certificate).toMatchObject({ daysLeft: 89 });
    expect((await visit('shop.example.com')).body).toBe('v1');
    expect((await visit('shop.example.com')).headers['strict-transport-security']).toContain('max-age=600');
    expect(await plain('shop.example.com', '/a?b=c')).toMatchObject({
      status: 308,
      location: `https://shop.example.com:${tlsPort}/a?b=c`,
    });
    // The project's own name has no certificate, and responds over HTTP.
    expect((await plain('shop.localhost')).body).toBe('v1');
    const [deployment] = (await json<{ data: { id: string }[] }>(service.get('/api/deployments'))).data;
    await until('the deployment says so', async () =>
      (await get(service, deployment!.id)).urls.includes(`https://shop.example.com:${tlsPort}`),
    );
    expect((await get(service, deployment!.id)).urls[0]).toBe(`https://shop.example.com:${tlsPort}`);
  });

  it('redirect to another one', async () => {
    await add({ name: 'www.example.com', redirectTo: 'shop.example.com' });
    await isSecure('www.example.com');
    const { status, headers } = await visit('www.example.com', '/x?y=1');
    expect([status, headers['location']]).toEqual([308, `https://shop.example.com:${tlsPort}/x?y=1`]);
  });

  it('lose no request when one is added, renewed and removed, and during a deployment', async () => {
    const visitors = visitAllTheTime((isKept) => visit('shop.example.com', '/', { isKept }));
    const renewed = await json<{ data: { fingerprint: string } }>(
      service.post('/api/deployments/ssl/renew', { domain: 'shop.example.com' }),
    );
    await add({ name: 'more.example.com' });
    expect((await plain('more.example.com')).status).toBe(200);
    const next = await deploy(service, project, nodeApp('v2'));
    expect(next.status).toBe('ready');
    expect((await visit('shop.example.com')).body).toBe('v2');
    const status = await json<{ data: { served: { fingerprint: string }; stored: { fingerprint: string } } }>(
      service.post('/api/deployments/ssl/status', { domain: 'shop.example.com' }),
    );
    expect(status.data.served.fingerprint).toBe(renewed.data.fingerprint);
    const { answered, failures } = await visitors.stop();
    expect(failures).toEqual([]);
    expect(answered).toBeGreaterThan(50);
    type Traffic = { totals: { requests: number; statuses: Record<string, number> } };
    await until('they are counted', async () => {
      const { data } = await json<{ data: Traffic }>(service.get(`/api/projects/${project}/traffic?window=1h`));
      return data.totals.requests >= answered && data.totals.statuses['5xx'] === 0;
    });
  });

  it('report one that points elsewhere; the deployment succeeds', async () => {
    await pebble.lead('lost.example.com', ['127.0.0.77']);
    const other = await ensureProject(service, 'other');
    const body = { publicEndpoints: [{ customDomain: 'lost.example.com' }] };
    const deployed = await deploy(service, other, nodeApp('other'), body);
    expect(deployed.status).toBe('ready');
    expect((await plain('lost.example.com')).body).toBe('other');
    const checked = await json<{ data: Domain }>(service.post(`${at('lost.example.com', other)}/check`, {}));
    expect(checked.data.pointing).toMatchObject({ status: 'unreachable', addresses: ['127.0.0.77'] });
    expect(checked.data.action.required).toBe(true);
    const refused = await service.post('/api/deployments/ssl/renew', { domain: 'lost.example.com' });
    expect(refused.status).toBe(400);
    const taken = await service.post('/api/deployments/build/access', {
      projectId: project,
      publicEndpoints: [{ customDomain: 'lost.example.com' }],
    });
    expect([400, 409]).toContain(taken.status);
  });

  it("route paths to one app, and serve names below the instance's domain", async () => {
    const site = await ensureProject(service, 'docs');
    const endpoints = [{ domain: 'handbook', targetPath: '/docs' }];
    const deployed = await deploy(service, site, nodeApp('docs'), { publicEndpoints: endpoints });
    expect(deployed.urls).toEqual([`http://handbook.localhost:${port}/docs`]);
    expect((await plain('handbook.localhost', '/docs/a')).body).toBe('docs');
    expect((await plain('handbook.localhost', '/docsearch')).status).toBe(404);
    const taken = await begin(service, project, nodeApp('v3'), { publicEndpoints: [{ domain: 'handbook' }] }).catch(
      (error: Error) => error.message,
    );
    expect(taken).toContain('409');
  });

  it('are mentioned in the log if they do not respond as expected', async () => {
    const one = await ensureProject(service, 'one');
    const publicEndpoints = [{ service: 'api', port: 3000, customDomain: 'api.example.org' }];
    const first = await deploy(service, one, nodeApp('one'), { publicEndpoints });
    const warnings = async (id: string) =>
      (await events(service, id)).flatMap(({ data }) => (data['level'] === 'warn' ? [String(data['line'])] : []));
    expect(await warnings(first.id)).toEqual([expect.stringContaining('this app has no services')]);
    const headers = { authorization: `Bearer ${ownerToken}` };
    await fetch(service.url + at('api.example.org', one), { method: 'DELETE', headers });
    const again = await json<{ deployment_id: string }>(service.post(`/api/deployments/${first.id}/redeploy`, {}));
    const second = await ended(service, again.deployment_id);
    expect([second.status, await list(one)]).toEqual(['ready', []]);
    expect(await warnings(second.id)).toContainEqual(
      expect.stringContaining('api.example.org in publicEndpoints is not a domain of this environment'),
    );
  });

  it('stop responding as soon as they are removed', async () => {
    expect((await remove('shop.example.com')).status).toBe(200);
    expect((await plain('shop.example.com')).status).toBe(404);
    await until('its certificate is gone', () =>
      visit('shop.example.com').then(
        () => false,
        () => true,
      ),
    );
    expect((await plain('shop.localhost')).body).toBe('v2');
  });
});
