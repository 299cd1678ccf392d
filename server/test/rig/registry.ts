import { execFileSync } from 'node:child_process';
import { createSign, randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { exited, newFolder, spawnRecorded } from './children.ts';
import { type EngineNamespace, entering } from './docker-namespace.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

export const registryUser = { username: 'captain', password: 'right horse' };
/** The hash of that password, as a registry stores it. */
const passwordHash = '$2b$05$abcdefghijklmnopqrstuuB05BVy0V7KomGh8K56xgiHLq3Wkqh46';
const service = 'rig-registry';

/** A real registry that requires a password. */
export interface Registry {
  /** As in the names of its images. */
  address: string;
  credential: { registry: string; username: string; password: string };
  stop(): Promise<void>;
}

/** Runs in the network of an engine, which reaches it at its loopback, where engines accept plain HTTP. Checks the
 * password itself (`basic`), or redirects to a token server (`token`). With `isOnHost` it runs on this machine, where
 * all engines reach it at the same address. */
export async function startRegistry(
  namespace: EngineNamespace,
  auth: 'basic' | 'token',
  isOnHost = false,
): Promise<Registry> {
  const folder = newFolder('registry');
  const port = await freePort();
  const address = `${isOnHost ? namespace.gateway : '127.0.0.1'}:${port}`;
  const tokens = auth === 'token' ? await startTokenServer(namespace.gateway, folder) : undefined;
  writeFileSync(join(folder, 'htpasswd'), `${registryUser.username}:${passwordHash}\n`);
  const settings = {
    version: '0.1',
    log: { level: 'warn' },
    storage: { filesystem: { rootdirectory: join(folder, 'data') } },
    http: { addr: `0.0.0.0:${port}` },
    auth: tokens?.settings ?? { htpasswd: { realm: 'rig', path: join(folder, 'htpasswd') } },
  };
  // JSON is YAML.
  writeFileSync(join(folder, 'settings.yml'), JSON.stringify(settings));
  const log = openSync(join(folder, 'log'), 'a');
  const [enter, ...args] = [
    ...(isOnHost ? [] : entering(namespace)),
    'docker-registry',
    'serve',
    join(folder, 'settings.yml'),
  ];
  const child = spawnRecorded(enter!, args, {
    stdio: ['ignore', log, log],
    env: { PATH: '/usr/bin:/bin', OTEL_TRACES_EXPORTER: 'none' },
  });
  closeSync(log);
  const answers = async () =>
    (await fetch(`http://${isOnHost ? address : `${namespace.address}:${port}`}/v2/`)).status === 401;
  await until('the registry answers', answers).catch((error: unknown) => {
    throw new Error(readFileSync(join(folder, 'log'), 'utf8').slice(-1000), { cause: error });
  });
  return {
    address,
    credential: { registry: address, ...registryUser },
    async stop() {
      child.kill();
      await exited(child);
      tokens?.stop();
    },
  };
}

/** Issues tokens that the registry trusts, in exchange for the password. */
async function startTokenServer(host: string, folder: string) {
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=rig', '-days', '2'];
  execFileSync('openssl', [...args, '-keyout', keyFile, '-out', certificateFile], { stdio: 'ignore' });
  const chain = readFileSync(certificateFile, 'utf8').replaceAll(/-----[^-]+-----|\s/g, '');
  const key = readFileSync(keyFile, 'utf8');
  const { username, password } = registryUser;
  const expected = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url!, 'http://tokens');
    if (request.headers.authorization !== expected) return response.writeHead(401).end('{"details":"who are you?"}');
    const token = tokenFor(searchParams.getAll('scope'), key, chain);
    return response.setHeader('content-type', 'application/json').end(JSON.stringify({ token, access_token: token }));
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const realm = `http://${host}:${port}/token`;
  return {
    settings: { token: { realm, service, issuer: 'rig', rootcertbundle: certificateFile } },
    stop: () => server.close(),
  };
}

/** Grants the requested scopes: `repository:team/app:pull,push`. */
function tokenFor(scopes: string[], key: string, chain: string): string {
  const now = Math.floor(Date.now() / 1000);
  const access = scopes.map((scope) => {
    const [type, name, actions] = scope.split(':');
    return { type, name, actions: actions!.split(',') };
  });
  const claims = {
    iss: 'rig',
    sub: registryUser.username,
    aud: service,
    exp: now + 300,
    nbf: now - 10,
    iat: now,
    jti: randomUUID(),
    access,
  };
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url');
  const signed = `${part({ typ: 'JWT', alg: 'RS256', x5c: [chain] })}.${part(claims)}`;
  return `${signed}.${createSign('sha256').update(signed).sign(key, 'base64url')}`;
}
