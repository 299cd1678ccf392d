import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { ask, deploy, ensureProject, events, nodeApp } from '../rig/deploy.ts';
import { stepsOf } from '../rig/inside.ts';
import { has } from '../rig/parts.ts';
import { newDatabase, startPostgres } from '../rig/postgres.ts';
import { startService } from '../rig/service.ts';
import { mountSmallDisk } from '../rig/small-disk.ts';

const makeToken = { name: 'x', permissions: '*' };

describe('database failures', () => {
  it('other requests continue while another program locks it, and then it writes', async () => {
    const service = await startService();
    const other = new DatabaseSync(join(service.dataDir, 'mooring.db'));
    other.exec('BEGIN IMMEDIATE');
    const writing = service.post('/api/tokens', makeToken);
    const began = Date.now();
    for (let i = 0; i < 5; i++) expect((await service.get('/api/health')).status).toBe(200);
    expect(Date.now() - began).toBeLessThan(1000);
    other.exec('ROLLBACK');
    other.close();
    expect((await writing).status).toBe(201);
    await service.stop();
  });

  const mayMount = process.getuid?.() === 0 && process.platform === 'linux';

  it.runIf(mayMount)('reports a full disk, loses nothing, and recovers when there is space', async () => {
    const dataDir = newFolder('small');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', dataDir]);
    try {
      const first = await startService({ dataDir });
      expect((await first.post('/api/tokens', makeToken)).status).toBe(201);
      const filler = join(dataDir, 'filler');
      fill(filler);
      const statuses = new Set<number>();
      for (let i = 0; i < 40; i++) statuses.add((await first.post('/api/tokens', makeToken)).status);
      expect(statuses).toContain(503);
      expect([...statuses].filter((status) => ![201, 503].includes(status))).toEqual([]);
      expect((await first.get('/api/tokens')).status).toBe(200);
      await first.stop('SIGKILL');
      const second = await startService({ dataDir });
      expect((await second.get('/api/me')).status).toBe(200);
      rmSync(filler);
      expect((await second.post('/api/tokens', makeToken)).status).toBe(201);
      await second.stop();
      const database = new DatabaseSync(join(dataDir, 'mooring.db'));
      expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      database.close();
    } finally {
      execFileSync('umount', ['-l', dataDir]);
    }
  });

  it.runIf(mayMount)('fails a build once that fills the disk and succeeds, and frees its space', async () => {
    const { folder: dataDir, unmount } = mountSmallDisk(180_000_000);
    chmodSync(dataDir, 0o755);
    try {
      const service = await startService({ dataDir });
      const project = await ensureProject(service, 'filling');
      const { urls } = await deploy(service, project, nodeApp('v1'));
      const build = 'echo filling; head -c 400000000 /dev/zero > big; echo filled; sleep 0.2; exit 0';
      const failed = await deploy(service, project, nodeApp('v2', '', { build }));
      expect(failed).toMatchObject({ status: 'failed', error: { code: 'disk_full', step: 'build' } });
      expect(failed.error!.message).toMatch(/^the disk is full: \d MB of 180 MB free, and this build takes \d\d\d MB$/);
      expect(stepsOf(dataDir, failed.id).find(({ name }) => name === 'build')!.attempt).toBe(1);
      expect((await service.post('/api/tokens', makeToken)).status).toBe(201);
      const lines = (await events(service, failed.id)).map(({ data }) => data['line']);
      expect(lines).toContain('filled');
      expect(lines.filter((line) => line === 'filling')).toHaveLength(1);
      expect((await ask(urls[0]!)).body).toBe('v1');
      expect((await deploy(service, project, nodeApp('v3'))).error).toBeNull();
      await service.stop();
    } finally {
      unmount();
    }
  });

  const fill = (path: string) => {
    for (let size = 4_000_000; size >= 1; size = Math.floor(size / 2)) {
      try {
        writeFileSync(path, Buffer.alloc(size), { flag: 'a' });
      } catch (error) {
        expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
      }
    }
  };

  it.runIf(has('postgres'))('stops within five seconds when PostgreSQL hangs', async () => {
    const postgres = await startPostgres();
    const service = await startService({ env: { DATABASE_URL: await newDatabase(postgres.url) } });
    const backends = execFileSync('pgrep', ['-P', String(postgres.pid())], { encoding: 'utf8' })
      .trim()
      .split('\n');
    for (const pid of backends) process.kill(Number(pid), 'SIGSTOP');
    const hanging = service.get('/api/me').catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const began = Date.now();
    await service.stop();
    expect(Date.now() - began).toBeLessThan(5500);
    await hanging;
    for (const pid of backends) process.kill(Number(pid), 'SIGCONT');
    await postgres.stop();
  });
});
