import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, spawnRecorded } from './children.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

const guide = join(import.meta.dirname, '../../../docs/operations/scaling.md');

/** Starts HAProxy with the configuration of the guide, in front of these replicas. */
export async function startHaproxy(replicas: string[]): Promise<{ url: string; stop(): void }> {
  const port = await freePort();
  const config = /```haproxy\n([^`]+)```/.exec(readFileSync(guide, 'utf8'))![1]!;
  const servers = replicas.map((url, i) => `  server replica${i} ${new URL(url).host}`);
  const file = join(newFolder('haproxy'), 'haproxy.cfg');
  const written = config
    .replace(/ {2}bind .*/, `  bind 127.0.0.1:${port}`)
    .replace('X-Forwarded-Proto https', 'X-Forwarded-Proto http')
    .replace(/( {2}server .*\n)+/, `${servers.join('\n')}\n`);
  writeFileSync(file, written);
  const child = spawnRecorded('/usr/sbin/haproxy', ['-f', file], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await until('HAProxy answers', async () => (await fetch(`${url}/api/health`)).ok, 10_000);
  return { url, stop: () => void child.kill('SIGKILL') };
}
