import { execFileSync, type ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exited, newFolder, spawnRecorded } from './children.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

const region = 'eu-rig-1';
const ringPower = 2;
const servers = ['account', 'container', 'object', 'proxy'] as const;
/** The account's owner, and two users with only the permissions of a bucket. */
export const swiftKeys = {
  owner: { accessKeyId: 'test:owner', secretAccessKey: 'secret-of-the-owner' },
  reader: { accessKeyId: 'test:reader', secretAccessKey: 'secret-of-the-reader' },
  writer: { accessKeyId: 'test:writer', secretAccessKey: 'secret-of-the-writer' },
};

export interface Swift {
  endpoint: string;
  region: string;
  /** Sets the permissions and quota of a bucket by Swift's own headers. */
  setBucket(bucket: string, headers: Record<string, string>): Promise<void>;
  stop(): Promise<void>;
}

/** A real OpenStack Swift with S3: a proxy, and one server each for accounts, containers and objects. */
export async function startSwift(): Promise<Swift> {
  const folder = newFolder('swift');
  const ports = { account: 0, container: 0, object: 0, proxy: 0, cache: 0 };
  for (const name of Object.keys(ports) as (keyof typeof ports)[]) ports[name] = await freePort();
  mkdirSync(join(folder, 'devices/d'), { recursive: true });
  writeFileSync(join(folder, 'swift.conf'), hashSettings);
  buildRings(folder, ports);
  const children = servers.map((name) => {
    const file = join(folder, `${name}.conf`);
    writeFileSync(file, name === 'proxy' ? proxySettings(folder, ports) : storeSettings(folder, name, ports[name]));
    const log = openSync(join(folder, `${name}.log`), 'a');
    const child = spawnRecorded(`/usr/bin/swift-${name}-server`, [file], { stdio: ['ignore', log, log] });
    closeSync(log);
    return child;
  });
  const cacheArguments = ['-l', '127.0.0.1', '-p', String(ports.cache), '-u', 'root', '-m', '16'];
  children.push(spawnRecorded('/usr/bin/memcached', cacheArguments, { stdio: 'ignore' }));
  const endpoint = `http://127.0.0.1:${ports.proxy}`;
  const stop = () => stopAll(children);
  try {
    const answers = (port: number) => fetch(`http://127.0.0.1:${port}/healthcheck`).then(({ ok }) => ok);
    await until(
      'Swift answers',
      async () => (await Promise.all(servers.map((name) => answers(ports[name])))).every(Boolean),
      50_000,
    );
  } catch (error) {
    await stop();
    throw new Error(readFileSync(join(folder, 'proxy.log'), 'utf8').slice(-2000), { cause: error });
  }
  const setBucket = (bucket: string, headers: Record<string, string>) => setContainer(ports.container, bucket, headers);
  return { endpoint, region, setBucket, stop };
}

async function stopAll(children: ChildProcess[]): Promise<void> {
  for (const child of children) child.kill('SIGKILL');
  await Promise.all(children.map(exited));
}

const hashSettings = `[swift-hash]
swift_hash_path_suffix = rig
swift_hash_path_prefix = rig
[storage-policy:0]
name = rig
default = yes
`;

const common = (folder: string, port: number) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = root
swift_dir = ${folder}
log_level = CRITICAL
`;

const storeSettings = (folder: string, name: string, port: number) => `${common(folder, port)}
devices = ${folder}/devices
mount_check = false
fallocate_reserve = 0
[pipeline:main]
pipeline = healthcheck ${name}-server
[app:${name}-server]
use = egg:swift#${name}
recon_cache_path = ${folder}
[filter:healthcheck]
use = egg:swift#healthcheck
`;

const filters = ['catch_errors', 'gatekeeper', 'healthcheck', 'cache', 'listing_formats', 's3api', 'tempauth', 'copy'];
const moreFilters = ['container-quotas', 'slo', 'dlo', 'symlink'];
const settingsOf: Record<string, string> = {
  s3api: `location = ${region}\nmax_upload_part_num = 10000\n`,
  tempauth: Object.entries(swiftKeys)
    .map(
      ([name, { secretAccessKey }]) => `user_test_${name} = ${secretAccessKey}${name === 'owner' ? ' .admin' : ''}\n`,
    )
    .join(''),
};
const eggs: Record<string, string> = { cache: 'memcache', 'container-quotas': 'container_quotas' };
const proxySettings = (folder: string, { proxy, cache }: Record<'proxy' | 'cache', number>) => `${common(folder, proxy)}
[pipeline:main]
pipeline = ${[...filters, ...moreFilters].join(' ')} proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
${[...filters, ...moreFilters]
  .map(
    (name) =>
      `[filter:${name}]\nuse = egg:swift#${eggs[name] ?? name}\n${settingsOf[name] ?? ''}${name === 'cache' ? `memcache_servers = 127.0.0.1:${cache}\n` : ''}`,
  )
  .join('')}`;

/** One device for everything, in one process: Python starts slowly. */
function buildRings(folder: string, ports: Record<'account' | 'container' | 'object', number>): void {
  const program = `
import json, sys
from swift.common.ring import RingBuilder
folder, ports = sys.argv[1], json.loads(sys.argv[2])
for name in ('account', 'container', 'object'):
    builder = RingBuilder(${ringPower}, 1, 0)
    where = {'ip': '127.0.0.1', 'port': ports[name], 'replication_ip': '127.0.0.1', 'replication_port': ports[name]}
    builder.add_dev({'id': 0, 'region': 1, 'zone': 1, 'device': 'd', 'weight': 1.0, 'meta': '', **where})
    builder.rebalance()
    builder.get_ring().save(folder + '/' + name + '.ring.gz')
`;
  execFileSync('/usr/bin/python3', ['-c', program, folder, JSON.stringify(ports)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Bypasses the proxy, which would require a token and a token cache. */
async function setContainer(port: number, bucket: string, headers: Record<string, string>): Promise<void> {
  const now = (Date.now() / 1000).toFixed(5).padStart(16, '0');
  const sent = { method: 'POST', headers: { 'x-timestamp': now, ...headers } };
  // The partition is unknown, so all of them are tried.
  const parts = Array.from({ length: 2 ** ringPower }, (_, part) => part);
  const asked = parts.map((part) => fetch(`http://127.0.0.1:${port}/d/${part}/AUTH_test/${bucket}`, sent));
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  if (!statuses.includes(204)) throw new Error(`Swift's container server answers ${statuses.join(', ')}`);
}
