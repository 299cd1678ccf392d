import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SourceRef } from '../../src/areas/backups/sources/source.ts';
import { selectHolds } from '../../src/areas/deployments/model/hold-store.ts';
import { newFolder, spawnRecorded } from '../rig/children.ts';
import { backedUp, type DataServices, entriesIn, startDataServices } from '../rig/data-services.ts';
import { postgresData } from '../rig/data-images.ts';
import { type Docker, startDocker } from '../rig/docker.ts';
import { busybox, makeImage } from '../rig/docker-images.ts';
import type { RestoreTask } from '../rig/restore-program.ts';
import { until } from '../rig/until.ts';

const program = join(import.meta.dirname, '../rig/restore-program.ts');
const login = { PGUSER: 'shop', PGPASSWORD: 'secret', PGDATABASE: 'shop' };

describe('a restore that is killed at any moment', { timeout: 300_000 }, () => {
  let docker: Docker;
  let shop: DataServices;
  const sql = (text: string) => shop.run('db', ['psql', '-XqAt', '-c', text], login);
  const sh = (script: string) => shop.run('app', ['sh', '-c', script]);
  const sumOfFiles = () => sh('cd /files && find . -type f | sort | xargs sha256sum | sha256sum');

  beforeAll(async () => {
    docker = await startDocker();
    await makeImage(docker.client, busybox);
    await makeImage(docker.client, postgresData());
    const environment = { POSTGRES_USER: 'shop', POSTGRES_PASSWORD: 'secret', POSTGRES_DB: 'shop' };
    shop = await startDataServices(docker, [
      { name: 'db', image: 'postgres:15', environment, volumes: ['data:/var/lib/postgresql/data'] },
      {
        name: 'app',
        image: busybox.name,
        command: ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 0.1; done'],
        volumes: ['files:/files'],
      },
    ]);
    await until('it accepts connections', () => sql('SELECT true').catch(() => false), 60_000);
    await sql("CREATE TABLE item AS SELECT g AS id, repeat('x', 500) AS body FROM generate_series(1, 60000) g");
    await sh('cd /files && for i in $(seq 300); do head -c 20000 /dev/urandom > f$i; done');
  });
  afterAll(async () => {
    await shop?.close();
    await docker?.close();
  });

  const saved = async (ref: SourceRef): Promise<string> => (await backedUp(shop, ref)).file;

  /** Starts the restore in another process and kills it after some time. */
  async function killed(ref: SourceRef, archive: string, afterMs: number): Promise<void> {
    const { settings, keyPath } = shop.app.instance;
    const folder = newFolder('job');
    const { place, owner } = shop;
    const task: RestoreTask = { settings, keyPath, place, owner, ref, archive, jobId: 'job_killed', folder };
    const child = spawnRecorded(process.execPath, [program, JSON.stringify(task)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout!.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const closed = once(child, 'close');
    await until('it has started', () => said.includes('started'), 60_000);
    await Promise.race([sleep(afterMs), closed]);
    child.kill('SIGKILL');
    await closed;
    rmSync(folder, { recursive: true });
  }

  const delays = [20, 300, 500, 600, 700, 850, 1000, 1200, 1500];

  it('leaves a whole PostgreSQL database, old or new, and can be repeated', async () => {
    const ref = { type: 'database', service: 'db', engine: 'postgres', database: 'shop' } as const;
    const wanted = await sql('SELECT count(*), sum(id) FROM item');
    const archive = await saved(ref);
    for (const [round, afterMs] of delays.entries()) {
      await sql(`DELETE FROM item WHERE id > 100; CREATE TABLE IF NOT EXISTS mark_${round} (x int)`);
      const old = await sql('SELECT count(*), sum(id) FROM item');
      await killed(ref, archive, afterMs);
      expect([old, wanted], `after ${afterMs} ms`).toContain(await sql('SELECT count(*), sum(id) FROM item'));
      await shop.sources.recover(shop.owner, 'job_killed');
      expect(await shop.state('app')).toBe('running');
    }
    const entries = shop.call('job_killed');

    await shop.sources.restore(shop.owner, ref, entriesIn(archive), { to: 'in-place' }, entries);
    expect(await sql('SELECT count(*), sum(id) FROM item')).toBe(wanted);
    expect(await sql("SELECT count(*) FROM pg_database WHERE datname LIKE 'mooring%'")).toBe('0');
    await shop.sources.recover(shop.owner, 'job_killed');
    expect(await selectHolds(shop.app.database.db)).toEqual([]);
  });

  it('never starts a service with half a volume, and can be repeated', async () => {
    const ref = { type: 'volume', volume: 'files' } as const;
    const wanted = await sumOfFiles();
    const archive = await saved(ref);

    for (const afterMs of delays) {
      await sh('cd /files && rm -f f1* && echo changed > changed');
      const old = await sumOfFiles();
      await killed(ref, archive, afterMs);
      const recovered = await shop.sources.recover(shop.owner, 'job_killed').then(
        () => 'ok',
        (error: { code: string }) => error.code,
      );
      if (recovered === 'ok') {
        expect(await shop.state('app'), `after ${afterMs} ms`).toBe('running');
        expect([old, wanted], `after ${afterMs} ms`).toContain(await sumOfFiles());
      } else {
        expect(recovered).toBe('restore_incomplete');
        expect(await shop.state('app')).not.toBe('running');
      }
      const call = shop.call('job_killed');
      await shop.sources.restore(shop.owner, ref, entriesIn(archive), { to: 'in-place' }, call);
      expect(await sumOfFiles()).toBe(wanted);
      expect(await shop.state('app')).toBe('running');
    }
    await shop.sources.recover(shop.owner, 'job_killed');
    expect(await selectHolds(shop.app.database.db)).toEqual([]);
  });
});
