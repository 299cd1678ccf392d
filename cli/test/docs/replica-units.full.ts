import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerEmail, ownerPassword, ownerToken } from '../../../server/test/rig/app.ts';
import { has } from '../../../server/test/rig/parts.ts';
import { buildRelease } from '../../../server/test/rig/release.ts';
import { startSystemdMachine, type SystemdMachine } from '../../../server/test/rig/systemd-machine.ts';
import { until } from '../../../server/test/rig/until.ts';
import { blocksOf, docs } from './page.ts';

const release = '/srv/release';
const database = 'postgres://mooring:password@127.0.0.1/mooring';
const key = randomBytes(32).toString('base64');

/** Returns the block of a page that contains a line. */
function blockWith(page: string, line: string): string {
  const found = blocksOf(readFileSync(join(docs, page), 'utf8')).find(({ text }) => text.includes(line));
  if (!found) throw new Error(`${page} has no block with ${line}`);
  return found.text;
}

describe.runIf(has('systemd'))('the units of a replica and of a build worker', () => {
  let machine: SystemdMachine;
  const write = (path: string, content: string) =>
    machine.ok(`install -d $(dirname ${path}); umask 077; cat > ${path}`, content);
  const api = async (path: string) =>
    machine.ok(`curl -sS -H 'authorization: Bearer ${ownerToken}' http://127.0.0.1:4600${path}`);
  const isHealthy = async () => (await machine.sh('curl -sf http://127.0.0.1:4600/api/health')).stdout.includes('"ok"');
  const workers = async () => {
    const { data } = JSON.parse(await api('/api/workers')) as { data: { labels: string[] }[] };
    return data.map(({ labels }) => labels);
  };

  beforeAll(async () => {
    const { folder, bundle, version } = buildRelease();
    machine = startSystemdMachine({ packages: ['postgresql'] });
    machine.put(folder, ['install.sh', bundle, `mooring-${version}.sha256`, `mooring-${version}.sha256.sig`], release);
    await machine.ok('systemctl start postgresql docker');
    const statements = ["create role mooring login password 'password'", 'create database mooring owner mooring'];
    for (const each of statements) await machine.ok(`cd /; runuser -u postgres -- psql -c "${each}"`);
    const settings = blockWith('operations/scaling.md', 'MOORING_DRAIN_SECONDS=')
      .replace(/(?<=DATABASE_URL=).*/, database)
      .replace(/(?<=MOORING_SECRET_KEY=).*/, key)
      .replace(/(?<=TRUSTED_PROXIES=)<[^>]*>/, '10.0.0.9')
      .replace(/(?<=HOST=)<.*/, '127.0.0.1');
    const owner = { EMAIL: ownerEmail, PASSWORD: ownerPassword, TOKEN: ownerToken };
    const lines = Object.entries(owner).map(([name, value]) => `MOORING_ADMIN_${name}=${value}\n`);
    await write('/etc/mooring/mooring.env', settings + lines.join(''));
    await machine.ok(`sh ${release}/install.sh --bundle ${release}/${bundle} --runtime docker --yes`);
    await write(
      '/etc/systemd/system/mooring.service.d/replica.conf',
      blockWith('operations/scaling.md', 'TimeoutStopSec='),
    );
    await machine.ok('systemctl daemon-reload');
  }, 600_000);
  afterAll(() => machine?.close());

  it('let a replica drain before it stops', async () => {
    expect(await isHealthy()).toBe(true);
    expect(await machine.ok('systemctl show --property=TimeoutStopUSec mooring')).toContain('20s');
    const began = Date.now();
    await machine.ok('systemctl stop --no-block mooring');
    await until('its health check fails', async () => !(await isHealthy()));
    expect((await machine.sh('curl -sf http://127.0.0.1:4600/')).code, 'still responds').toBe(0);
    const state = async () => (await machine.ok('systemctl show --property=ActiveState,Result mooring')).trim();
    await until('it has stopped', async () => (await state()).includes('inactive'), 30_000);
    expect(await state()).toBe('Result=success\nActiveState=inactive');
    expect(Date.now() - began).toBeGreaterThan(6000);
    await machine.ok('systemctl start mooring');
    await until('it is healthy', isHealthy, 30_000);
  }, 120_000);

  it('run a worker beside a replica, and without one', async () => {
    const settings = blockWith('operations/build-workers.md', 'DATABASE_URL=')
      .replace(/(?<=DATABASE_URL=).*/, database)
      .replace(/(?<=MOORING_SECRET_KEY=).*/, key);
    await write('/etc/mooring/worker.env', settings);
    const unit = blockWith('operations/build-workers.md', 'ExecStart=');
    await write('/etc/systemd/system/mooring-worker.service', unit);
    await machine.ok('systemctl enable --now mooring-worker');
    await until('it is connected', async () => (await workers()).length === 1, 60_000);
    expect(await workers()).toEqual([['team=web']]);
    await machine.ok('systemctl disable --now mooring; mooring stop');
    expect(await machine.ok("ss -Hltnp | grep -E 'node|mooring' || true"), 'opens no port').toBe('');
    machine.reboot();
    await machine.ok('systemctl start postgresql docker');
    await until(
      'it runs again',
      async () => (await machine.sh('systemctl is-active mooring-worker')).code === 0,
      30_000,
    );
    await machine.ok('systemctl enable --now mooring');
    await until('it is connected', async () => (await isHealthy()) && (await workers()).length === 1, 60_000);
    await machine.ok('systemctl stop mooring-worker');
    await until('it is gone', async () => (await workers()).length === 0, 30_000);
    expect(await machine.ok('systemctl show --property=Result --value mooring-worker')).toBe('success\n');
  }, 300_000);
});
