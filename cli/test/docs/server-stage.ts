import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownerToken } from '../../../server/test/rig/app.ts';
import { newFolder } from '../../../server/test/rig/children.ts';
import { json } from '../../../server/test/rig/deploy.ts';
import { makeImage, node } from '../../../server/test/rig/docker-images.ts';
import { type ManagedServer, startManagedServer } from '../../../server/test/rig/managed-server.ts';
import { redisImage } from '../../../server/test/rig/redis-image.ts';
import { type Service, startService } from '../../../server/test/rig/service.ts';
import { newSshKey } from '../../../server/src/lib/ssh-key.ts';
import type { Stage } from './page.ts';

/** A service, the server `web` at 203.0.113.7 with Docker and Compose, and a reader who signs in there with `ssh`. */
export interface ServerStage {
  server: ManagedServer;
  service: Service;
  /** What every page on this stage needs. */
  stage: Stage;
  /** Runs a command on the server, with a text on its standard input. */
  ssh(command: string, input?: string): string;
  close(): Promise<void>;
}

/** Counts its visits in its volume, or in the Redis that is called `db`. */
const program = `
const { connect } = require('node:net');
const { appendFileSync, existsSync, statSync } = require('node:fs');
require('node:http').createServer((request, response) => {
  if (!request.headers['user-agent']?.startsWith('curl')) return response.end();
  if (existsSync('/data')) {
    appendFileSync('/data/visits', 'x');
    return response.end('Visit ' + statSync('/data/visits').size + '\\n');
  }
  connect(6379, process.env.DB_HOST ?? 'db').once('error', () => response.end('No database\\n'))
    .once('data', (answer) => response.end('Visit ' + String(answer).slice(1))).end('INCR visits\\r\\n');
}).listen(8080);
process.on('SIGTERM', () => process.exit(0));`;

/** A web app and its database, as people write them down. */
export const composeFile = (image: string, port: number): string => `services:
  web:
    image: ${image}
    ports: ["${port}:8080"]
    depends_on: [db]
    restart: unless-stopped
  db:
    image: redis:7
    volumes: ["data:/data"]
    restart: unless-stopped
volumes:
  data:
`;

export async function startServerStage(images: string[]): Promise<ServerStage> {
  const more = [`SetEnv DOCKER_CONFIG=${composePlugin()}`];
  const server = await startManagedServer('web', [], { port: 22, more });
  const closing: (() => Promise<unknown>)[] = [() => server.close()];
  const close = async () => {
    for (const each of closing.toReversed()) await each();
  };
  try {
    const { client } = server.docker;
    const files = { '/app/server.js': program };
    for (const name of images)
      await makeImage(client, { ...node, name, files, changes: ['CMD ["node", "/app/server.js"]', 'EXPOSE 8080'] });
    await makeImage(client, redisImage());
    const env = { MOORING_ACME_DIRECTORY: 'none', MOORING_START_TIMEOUT: '30', MOORING_RUNTIME: 'process' };
    const service = await startService({ env });
    closing.push(() => service.stop());
    // Another platform has the usual ports.
    const place = { baseDomain: 'apps.example.com', edgePort: 8000, edgeTlsPort: 8443 };
    await json(service.post('/api/servers', { ...server.body, ...place }));
    const programs = reader(server);
    const ssh = join(programs, 'ssh');
    return {
      server,
      service,
      close,
      stage: {
        values: [['203.0.113.7', server.address]],
        env: { MOORING_URL: service.url, MOORING_TOKEN: ownerToken, CURL_HOME: programs },
        programs,
      },
      ssh: (command, input = '') =>
        execFileSync(ssh, [`root@${server.address}`, command], { input, encoding: 'utf8', stdio: 'pipe' }),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A configuration of the Docker client that has Compose. */
function composePlugin(): string {
  const folder = newFolder('docker-config');
  const script = join(import.meta.dirname, '../../../scripts/compose.mjs');
  const compose = execFileSync(process.execPath, [script], { encoding: 'utf8' }).trim();
  mkdirSync(join(folder, 'cli-plugins'));
  symlinkSync(compose, join(folder, 'cli-plugins/docker-compose'));
  return folder;
}

/** `ssh` with a key that the server knows, and `curl` that finds the apps there. */
function reader({ sshd, address }: ManagedServer): string {
  const folder = newFolder('reader');
  const { privateKey, publicKey } = newSshKey('reader');
  writeFileSync(join(folder, 'key'), privateKey, { mode: 0o600 });
  sshd.allow(publicKey);
  const options = ['StrictHostKeyChecking=no', `UserKnownHostsFile=${join(folder, 'known')}`, 'LogLevel=ERROR'];
  const ssh = ['/usr/bin/ssh', '-F', 'none', '-i', join(folder, 'key'), ...options.flatMap((each) => ['-o', each])];
  writeFileSync(join(folder, 'ssh'), `#!/bin/sh\nexec ${ssh.join(' ')} "$@"\n`, { mode: 0o755 });
  writeFileSync(join(folder, '.curlrc'), `connect-to = "::${address}:"\nsilent\nshow-error\n`);
  return folder;
}
