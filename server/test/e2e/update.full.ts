import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { busyApp } from '../rig/busy-app.ts';
import { type Defect, makeBundle, newReleaseKey } from '../rig/bundles.ts';
import { newFolder } from '../rig/children.ts';
import { deploy, ensureProject, json } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { has } from '../rig/parts.ts';
import { newDatabase, type Postgres, query, startPostgres } from '../rig/postgres.ts';
import { mountSmallDisk } from '../rig/small-disk.ts';
import { startUpdateMachine, type UpdateMachine } from '../rig/update-machine.ts';
import { smallCrowd, startVisitors } from '../rig/visitors.ts';

const key = newReleaseKey();
const releases = newFolder('releases');
const isRoot = process.getuid?.() === 0;

/** Records the longest time in which the API did not respond. */
function watchApi(url: string) {
  const stopping = new AbortController();
  let longestMs = 0;
  const watch = (async () => {
    for (let lastAt = Date.now(); !stopping.signal.aborted; await sleep(20)) {
      const response = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(1000) }).catch(() => undefined);
      if (response?.ok) lastAt = Date.now();
      longestMs = Math.max(longestMs, Date.now() - lastAt);
    }
  })();
  return async () => {
    stopping.abort();
    await watch;
    return longestMs;
  };
}

type Named = { data: { name: string }[] };
const projectNames = async ({ service }: UpdateMachine) =>
  (await json<Named>(service.get('/api/projects'))).data.map(({ name }) => name);

describe.runIf(isRoot)('an update under load', () => {
  it('fails no request to an app, and the API is away for less than 3 s', async () => {
    const machine = await startUpdateMachine({ version: '0.3.0', key });
    onTestFinished(() => machine.close());
    const bundle = makeBundle(releases, '0.4.0', key);
    const app = await deploy(machine.service, await ensureProject(machine.service, 'shop'), busyApp('v1'));
    expect(app.error).toBeNull();
    const visitors = startVisitors(app.urls[0]!, 'v1', smallCrowd);
    await sleep(1000);
    const restart = async () => {
      const awayMs = watchApi(machine.service.url);
      await machine.restart();
      return awayMs();
    };
    const before = await restart();
    const awayMs = watchApi(machine.service.url);
    const { code, output } = await machine.mooring('update', '--bundle', bundle);
    expect(code, output).toBe(0);
    await sleep(2000);
    const { failures, requests } = await visitors.stop();
    const away = await awayMs();
    const restartMs = Math.max(before, await restart());
    sayFigures('API away, in ms', { update: away, restart: restartMs });
    expect(failures).toEqual([]);
    expect(requests).toBeGreaterThan(300);
    // On a machine that is busy with other tests, a plain restart alone takes longer.
    expect(away).toBeLessThan(Math.max(3000, 3 * restartMs));
    expect(machine.current()).toBe('0.4.0');
  });
});

describe.runIf(isRoot)('a migration of a large database', () => {
  it('may take longer than a start', async () => {
    const machine = await startUpdateMachine({ version: '0.3.0', key });
    onTestFinished(() => machine.close());
    const bundle = makeBundle(releases, '0.4.0', key, { defect: 'slow' });
    const { code, output } = await machine.mooring('update', '--bundle', bundle);
    expect(code, output).toBe(0);
    expect(machine.current()).toBe('0.4.0');
    expect(machine.status()!.awayMs).toBeGreaterThan(35_000);
  });
});

describe.runIf(isRoot).each(has('postgres') ? ['sqlite', 'postgres'] : ['sqlite'])('a broken version on %s', (kind) => {
  let postgres: Postgres | undefined;
  let machine: UpdateMachine;
  let databaseUrl: string | undefined;
  beforeAll(async () => {
    postgres = kind === 'postgres' ? await startPostgres() : undefined;
    databaseUrl = postgres && (await newDatabase(postgres.url));
    machine = await startUpdateMachine({
      version: '0.3.0',
      key,
      env: databaseUrl ? { DATABASE_URL: databaseUrl } : {},
    });
  });
  afterAll(async () => {
    await machine?.close();
    await postgres?.stop();
  });

  const reasons: Record<Exclude<Defect, 'unrunnable' | 'slow' | 'columns'>, RegExp> = {
    crash: /crashed 3 times while it started: TypeError: the configuration of the new version is nonsense/,
    migration: /crashed 3 times while it started: .*column "colour" cannot be altered/,
    mute: /did not answer \/api\/health within 30 s/,
  };
  it.each(Object.entries(reasons))(
    'that has the defect %s goes back within 60 s with all data',
    async (defect, why) => {
      const bundle = makeBundle(releases, '0.4.0', key, { defect: defect as Defect });
      await ensureProject(machine.service, `before ${defect}`);
      const before = await projectNames(machine);
      const began = Date.now();
      const { code, output } = await machine.mooring('update', '--bundle', bundle);
      const tookMs = Date.now() - began;
      expect([code, output]).toEqual([1, expect.stringContaining('went back to 0.3.0')]);
      expect(machine.status()).toMatchObject({ state: 'went_back', reason: expect.stringMatching(why) });
      expect(tookMs).toBeLessThan(60_000);
      expect(await projectNames(machine)).toEqual(before);
      const { data: me } = await json<{ data: { user: { name: string } } }>(machine.service.get('/api/me'));
      expect(me.user.name).toBe('Owner');
      if (databaseUrl) {
        const left = await query(databaseUrl, "select 1 from pg_tables where tablename = 'made_by_the_new_version'");
        expect(left).toEqual([]);
      }
      expect(readdirSync(machine.versions).toSorted()).toEqual(['0.3.0', 'current']);
    },
  );

  it.runIf(kind === 'postgres')('leaves the database alone while another replica uses it', async () => {
    const other = new Client({ connectionString: databaseUrl! });
    await other.connect();
    try {
      const writing = setInterval(() => void other.query("update users set name = 'by the other replica'"), 500);
      const bundle = makeBundle(releases, '0.4.0', key, { defect: 'crash' });
      const { code, output } = await machine.mooring('update', '--bundle', bundle);
      clearInterval(writing);
      expect([code, output]).toEqual([1, expect.stringContaining('went back to 0.3.0')]);
      expect(await query(databaseUrl!, 'select name from users')).toEqual([{ name: 'by the other replica' }]);
      await other.query("update users set name = 'Owner'");
    } finally {
      await other.end();
    }
  });

  it('does not prevent the update to the repaired one', async () => {
    const bundle = makeBundle(releases, '0.4.0', key);
    const before = await projectNames(machine);
    expect(await machine.mooring('update', '--bundle', bundle)).toMatchObject({ code: 0 });
    expect(await projectNames(machine)).toEqual(before);
    expect(machine.current()).toBe('0.4.0');
  });
});

describe.runIf(isRoot && has('docker'))('a full disk', () => {
  it('refuses the update before the service is stopped', async () => {
    const disk = mountSmallDisk(48_000_000);
    onTestFinished(() => disk.unmount());
    const root = join(disk.folder, 'machine');
    mkdirSync(root);
    const machine = await startUpdateMachine({ version: '0.3.0', key, root });
    onTestFinished(() => machine.close());
    const { pid } = machine.service.child;
    const bundle = makeBundle(releases, '0.4.0', key);
    const { code, output } = await machine.mooring('update', '--bundle', bundle);
    expect([code, output]).toEqual([1, expect.stringMatching(/has \d+ MB free; the update needs \d+ MB/)]);
    expect([machine.current(), machine.service.child.pid]).toEqual(['0.3.0', pid]);
    expect(readdirSync(machine.versions).toSorted()).toEqual(['0.3.0', 'current']);
  });
});
