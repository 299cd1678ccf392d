import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, inject, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { has } from '../rig/parts.ts';
import { freePort } from '../rig/ports.ts';
import { newDatabase, startPostgres } from '../rig/postgres.ts';
import { failToStart, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

const nobody = { MOORING_ADMIN_EMAIL: '', MOORING_ADMIN_PASSWORD: '', MOORING_ADMIN_TOKEN: '' };

describe('starting', () => {
  it('prints a one-time link that creates the owner', async () => {
    const service = await startService({ env: nobody });
    const [link, code] = (await until('the link is printed', () => /http\S+#code=(\S+)/.exec(service.output())))!;
    expect(link).toBe(`${service.url}/setup#code=${code}`);
    const owner = { code, name: 'Ada', email: 'ada@example.com', password: 'long enough' };
    expect((await service.post('/api/auth/setup', owner, {})).status).toBe(201);
    expect((await service.post('/api/auth/setup', owner, {})).status).toBe(409);
    await service.stop();
    const again = await startService({ env: nobody, dataDir: service.dataDir });
    expect(again.output()).not.toContain('#code=');
    await again.stop();
  });

  it('creates the owner and a token from the environment, once', async () => {
    const service = await startService();
    const tokens = (await (await service.get('/api/tokens')).json()) as { data: { id: string }[] };
    expect(
      (
        await fetch(`${service.url}/api/tokens/${tokens.data[0]!.id}`, {
          method: 'DELETE',
          headers: { authorization: `Bearer mrg_pat_${'o'.repeat(43)}` },
        })
      ).status,
    ).toBe(200);
    await service.stop();
    const again = await startService({ dataDir: service.dataDir });
    expect((await again.get('/api/me')).status, 'a revoked token stays revoked').toBe(401);
    await again.stop();
  });

  it.each([
    [{ PORT: 'abc' }, 'mooring: PORT: must be a number'],
    [{ MOORING_MODE: 'x' }, 'mooring: MOORING_MODE: must be one of self-hosted, cloud'],
    [{ MOORING_SECRET_KEY: 'changeme' }, 'mooring: MOORING_SECRET_KEY: must be 32 random bytes in base64 or hex'],
    [{ MOORING_DATA_DIR: '/dev/null/x' }, 'mooring: /dev/null/x cannot be used'],
    [{ DATABASE_URL: 'postgres://127.0.0.1:1/x' }, 'mooring: the database cannot be opened (DATABASE_URL): '],
  ])('stops at %o with one line', async (env, line) => {
    const { code, output } = await failToStart(env as Record<string, string>);
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(output).toContain(line);
  });

  it('ignores damaged compiled code', async () => {
    const dataDir = newFolder('data');
    mkdirSync(join(dataDir, 'compiled'));
    const name = statSync(join(import.meta.dirname, '../../dist/service.cjs')).mtimeMs.toString(36);
    const rubbish = randomBytes(100_000);
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(crc32(rubbish));
    for (const kept of [Buffer.alloc(0), rubbish, Buffer.concat([checksum, rubbish])]) {
      writeFileSync(join(dataDir, 'compiled', name), kept);
      const service = await startService({ dataDir });
      expect((await service.get('/api/health')).status).toBe(200);
      await service.stop();
    }
  });

  it('reports a port that is in use', async () => {
    const port = await freePort();
    const squatter = createServer().listen(port, '127.0.0.1');
    const { code, output } = await failToStart({ PORT: String(port) });
    expect([code, output]).toEqual([1, `mooring: PORT: ${port} is in use on 127.0.0.1; choose another one\n`]);
    squatter.close();
  });

  it('allows one service per data folder, and a killed one leaves no lock', async () => {
    const first = await startService();
    const { code, output } = await failToStart({ MOORING_DATA_DIR: first.dataDir });
    expect(code).toBe(1);
    expect(output).toBe(`mooring: ${first.dataDir} is in use by another Mooring (process ${first.child.pid})\n`);
    await first.stop('SIGKILL');
    const second = await startService({ dataDir: first.dataDir });
    expect((await second.get('/api/me')).status).toBe(200);
    await second.stop();
  });

  it('refuses a wrong key, and keeps files readable only by the owner', async () => {
    const service = await startService();
    for (const name of ['secret.key', 'mooring.db'])
      expect(statSync(join(service.dataDir, name)).mode & 0o077, name).toBe(0);
    expect(statSync(service.dataDir).mode & 0o777).toBe(0o711);
    await service.stop();
    writeFileSync(join(service.dataDir, 'secret.key'), `${randomBytes(32).toString('base64')}\n`);
    const { code, output } = await failToStart({ MOORING_DATA_DIR: service.dataDir });
    expect([code, output]).toEqual([1, expect.stringContaining('the instance key does not match this database')]);
  });

  it('warns about an unknown setting', async () => {
    const service = await startService({ env: { MOORING_MOED: 'cloud' } });
    expect(service.output()).toContain('MOORING_MOED is not a setting');
    await service.stop();
  });

  it('prints no secrets, and logs no queries', async () => {
    const service = await startService({ env: { MOORING_LOG_LEVEL: 'debug' } });
    await service.post('/api/auth/sign-in', { email: 'owner@example.com', password: 'correct horse battery' });
    await service.get('/api/audit?actorId=somebody-private');
    await service.stop();
    expect(service.output()).toContain('"path":"/api/audit"');
    for (const secret of [
      'correct horse',
      'o'.repeat(43),
      'somebody-private',
      readFileSync(join(service.dataDir, 'secret.key'), 'utf8').trim(),
    ])
      expect(service.output()).not.toContain(secret);
  });
});

describe('stopping', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('is clean on %s', async (signal) => {
    const service = await startService();
    await service.get('/api/me');
    expect(await service.stop(signal)).toBe(0);
    expect(service.output()).toContain('Mooring is stopping.');
  });
});

describe('everything outside the data folder', () => {
  const places = [
    '/etc',
    '/usr',
    '/opt',
    '/srv',
    '/home',
    '/boot',
    '/var/lib',
    '/var/spool',
    '/root/.ssh',
    '/root/.bashrc',
    '/root/.profile',
    '/root/.config',
  ];

  /** Every file of the system with its mtime, and all listening ports. */
  const state = () => {
    const existing = places.filter((path) => statSync(path, { throwIfNoEntry: false }));
    return execFileSync('find', [...existing, '-xdev', '-printf', '%p %C@ %s %m\n'], {
      encoding: 'utf8',
      maxBuffer: 1 << 30,
    });
  };

  it('is unchanged after a start, a setup and a stop', async () => {
    const home = newFolder('home');
    const before = state();
    const service = await startService({ env: { HOME: home } });
    await service.post('/api/tokens', { name: 'x', permissions: '*' });
    await service.stop();
    const after = state();
    expect(after === before || difference(before, after)).toBe(true);
    expect(execFileSync('find', [home], { encoding: 'utf8' })).toBe(`${home}\n`);
  });

  const difference = (before: string, after: string) => {
    const known = new Set(before.split('\n'));
    return after
      .split('\n')
      .filter((line) => !known.has(line))
      .slice(0, 20);
  };
});

describe.runIf(has('postgres'))('several replicas on PostgreSQL', () => {
  it('share all state immediately', async () => {
    const env = {
      DATABASE_URL: await newDatabase(inject('postgresUrl')),
      MOORING_SECRET_KEY: randomBytes(32).toString('base64'),
    };
    const replicas = await Promise.all([startService({ env }), startService({ env }), startService({ env })]);
    const [a, b, c] = replicas as [(typeof replicas)[0], (typeof replicas)[0], (typeof replicas)[0]];
    const made = (await (await a.post('/api/tokens', { name: 'x', permissions: '*' })).json()) as {
      data: { id: string; token: string };
    };
    const headers = { authorization: `Bearer ${made.data.token}` };
    expect((await b.get('/api/me', headers)).status).toBe(200);
    await fetch(`${c.url}/api/tokens/${made.data.id}`, { method: 'DELETE', headers });
    expect((await b.get('/api/me', headers)).status).toBe(401);
    const attempts = replicas.flatMap((each) => Array.from({ length: 4 }, () => each));
    for (const replica of attempts)
      await replica.post('/api/auth/sign-in', { email: 'owner@example.com', password: 'wrong' });
    expect(
      (await a.post('/api/auth/sign-in', { email: 'owner@example.com', password: 'wrong' })).status,
      'failures count together',
    ).toBe(429);
    await Promise.all(replicas.map((each) => each.stop()));
  });

  it('refuse a replica with another key', async () => {
    const databaseUrl = await newDatabase(inject('postgresUrl'));
    const first = await startService({ env: { DATABASE_URL: databaseUrl } });
    const { code, output } = await failToStart({ DATABASE_URL: databaseUrl });
    expect([code, output]).toEqual([1, expect.stringContaining('set MOORING_SECRET_KEY')]);
    await first.stop();
  });

  it('respond with 503 while the database is unavailable, and recover when it is back', async () => {
    const postgres = await startPostgres();
    const service = await startService({ env: { DATABASE_URL: await newDatabase(postgres.url) } });
    await postgres.stop();
    const away = await service.get('/api/me');
    expect([away.status, await away.json()]).toEqual([
      503,
      expect.objectContaining({ success: false, code: 'unavailable' }),
    ]);
    expect((await service.get('/api/health')).status).toBe(200);
    await postgres.start();
    await until('it answers again', async () => (await service.get('/api/me')).status === 200);
    await service.stop();
    await postgres.stop();
  });
});
