import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { createBuiltinEdge } from '../server/src/drivers/edge/builtin/builtin.ts';
import { selfSigned } from '../server/test/rig/certificate.ts';
import { freePort } from '../server/test/rig/ports.ts';
import { until } from '../server/test/rig/until.ts';
import { newDataDir } from './processes.ts';

/** A domain with its certificate. */
export type Domain = { host: string; cert: string; key: string };

/** A proxy in front of an app, with domains that are added at runtime. */
export interface Peer {
  pid: number;
  port: number;
  tlsPort(): number;
  /** Adds the domain and its certificate; both are in effect when it returns. */
  add(domain: Domain): Promise<void>;
  stop(): Promise<void>;
}

export const domain = (host: string): Domain => ({ host, ...selfSigned(host) });

/** Installs the competitors and the load generators. */
export const installPeers = () =>
  execFileSync(process.execPath, [join(import.meta.dirname, '../scripts/edge-peers.mjs')], { stdio: 'inherit' });

const program = join(import.meta.dirname, '../server/dist/edge.cjs');

/** Our edge, started like the service starts it. */
export async function startEdge(appPort: number): Promise<Peer> {
  const dataDir = newDataDir();
  const edge = createBuiltinEdge({ dataDir, instanceId: 'bench', host: '127.0.0.1', port: 0, program });
  await edge.ensure();
  return {
    pid: (await edge.pid())!,
    port: Number(new URL(edge.url('x')).port),
    tlsPort: () => Number(new URL(edge.url('x', { secure: true })).port),
    async add({ host, cert, key }) {
      const target = { type: 'upstream', host: '127.0.0.1', port: appPort } as const;
      const route = { host, path: '/', deploymentId: `dep_${host}`, target };
      await edge.point({ key: `${host}/production`, fence: 1, routes: [route] });
      await edge.useCertificate({ host, chain: cert, key });
    },
    async stop() {
      await edge.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Caddy with a fixed list of domains: adding a thousand one by one takes it minutes. Without TLS it has only the
 * first. */
export async function startCaddy(appPort: number, domains: Domain[]): Promise<Peer> {
  const [folder, port, tlsPort, adminPort] = [newDataDir(), await freePort(), await freePort(), await freePort()];
  const routes = domains.map(({ host }) => routeOf(host, appPort));
  const server = { routes, automatic_https: { disable: true }, protocols: ['h1', 'h2'] };
  const apps = {
    http: {
      servers: {
        plain: { ...server, routes: routes.slice(0, 1), listen: [`127.0.0.1:${port}`] },
        secure: { ...server, listen: [`127.0.0.1:${tlsPort}`], tls_connection_policies: [{}] },
      },
    },
    tls: { certificates: { load_pem: domains.map(pemOf) } },
  };
  const logging = { logs: { default: { level: 'ERROR' } } };
  writeFileSync(
    join(folder, 'config.json'),
    JSON.stringify({ admin: { listen: `127.0.0.1:${adminPort}` }, logging, apps }),
  );
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
  const child = spawn('caddy', ['run', '--config', join(folder, 'config.json')], { env, stdio: 'ignore' });
  const admin = `http://127.0.0.1:${adminPort}/config/apps`;
  await until('Caddy is up', async () => (await fetch(`${admin}/http/servers/plain/listen`)).ok);
  return {
    pid: child.pid!,
    port,
    tlsPort: () => tlsPort,
    async add(added) {
      await append(`${admin}/http/servers/secure/routes`, routeOf(added.host, appPort));
      await append(`${admin}/tls/certificates/load_pem`, pemOf(added));
    },
    async stop() {
      child.kill();
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** nginx with one worker for each core, as Debian configures it, and kept connections to the app. */
export async function startNginx(appPort: number, { host, cert, key }: Domain): Promise<Omit<Peer, 'add'>> {
  const [folder, port, tlsPort] = [newDataDir(), await freePort(), await freePort()];
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
  const server = (listen: string) => `server {
    listen 127.0.0.1:${listen};
    server_name ${host};
    location / {
      proxy_pass http://app;
      proxy_http_version 1.1;
      proxy_set_header Connection '';
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
    }
  }`;
  const configuration = `
    daemon off;
    worker_processes auto;
    pid ${folder}/nginx.pid;
    error_log ${folder}/error.log;
    events {}
    http {
      access_log off;
      keepalive_requests 1000000;
      ssl_certificate ${folder}/cert.pem;
      ssl_certificate_key ${folder}/key.pem;
      ssl_session_cache shared:ssl:1m;
      upstream app { server 127.0.0.1:${appPort}; keepalive 64; }
      ${server(`${port}`)}
      ${server(`${tlsPort} ssl http2`)}
    }`;
  writeFileSync(join(folder, 'nginx.conf'), configuration);
  const child = spawn('/usr/sbin/nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' });
  await until('nginx is up', async () => (await fetch(`http://127.0.0.1:${port}`)).ok);
  return {
    pid: child.pid!,
    port,
    tlsPort: () => tlsPort,
    async stop() {
      child.kill();
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const routeOf = (host: string, appPort: number) => ({
  match: [{ host: [host] }],
  handle: [{ handler: 'reverse_proxy', upstreams: [{ dial: `127.0.0.1:${appPort}` }] }],
});

const pemOf = ({ cert, key }: Domain) => ({ certificate: cert, key });

async function append(url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
}

/** Sends one request on a new connection and verifies the certificate. */
export async function visit(peer: Peer, { host, cert }: Domain): Promise<void> {
  const request = get({
    host: '127.0.0.1',
    port: peer.tlsPort(),
    servername: host,
    ca: cert,
    agent: false,
    headers: { host },
  });
  const [answer] = await once(request, 'response');
  if (answer.statusCode !== 200) throw new Error(`${host} answered ${answer.statusCode}`);
  await once(answer.resume(), 'end');
}
