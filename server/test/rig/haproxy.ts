import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, spawnRecorded } from './children.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

const guides = join(import.meta.dirname, '../../../docs/operations');

/** Starts HAProxy with the configuration of a guide, in front of these servers. */
export async function startHaproxy(
  replicas: string[],
  guide: 'scaling.md' | 'swarm.md' = 'scaling.md',
): Promise<{ url: string; port: number; stop(): void }> {
  const port = await freePort();
  const config = /```haproxy\n([^`]+)```/.exec(readFileSync(join(guides, guide), 'utf8'))![1]!;
  const servers = replicas.map((url, i) => `  server replica${i} ${new URL(url).host}`);
  const file = join(newFolder('haproxy'), 'haproxy.cfg');
  const written = config
    .replace(/ {2}bind .*/, `  bind 127.0.0.1:${port}`)
    .replace('X-Forwarded-Proto https', 'X-Forwarded-Proto http')
    .replace(/( {2}server .*\n)+/, `${servers.join('\n')}\n`);
  writeFileSync(file, written);
  const child = spawnRecorded('/usr/sbin/haproxy', ['-f', file], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () => (await fetch(`${url}/api/health`)).status !== 503;
  await until('HAProxy answers', isReady, 10_000);
  return { url, port, stop: () => void child.kill('SIGKILL') };
}
