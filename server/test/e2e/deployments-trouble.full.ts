import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { ask, begin, deploy, ended, ensureProject, events, get, json, nodeApp } from '../rig/deploy.ts';
import { stepsOf } from '../rig/inside.ts';
import { has } from '../rig/parts.ts';
import { newDatabase, startPostgres } from '../rig/postgres.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

const quiet = { MOORING_LOG_LEVEL: 'error' };
const isLogged = (service: Service, id: string, line: string) =>
  until(`${line} is logged`, async () =>
    (await (await service.get(`/api/deployments/${id}/logs`)).text()).includes(line),
  );

describe('a full disk', () => {
  const mayMount = process.getuid?.() === 0 && process.platform === 'linux';
  const onSmallDisk = async (size: string, act: (dataDir: string) => Promise<void>) => {
    const dataDir = newFolder('small');
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', dataDir]);
    try {
      await act(dataDir);
    } finally {
      execFileSync('umount', ['-l', dataDir]);
    }
  };
  const filling = nodeAppThat('head -c 400000000 /dev/zero > big');

  it.runIf(mayMount)('fails only the deployment that filled it, with the reason', () =>
    onSmallDisk('180m', async (dataDir) => {
      const service = await startService({ dataDir, env: quiet });
      const project = await ensureProject(service, 'small');
      const { urls } = await deploy(service, project, nodeApp('v1'));
      const failed = await deploy(service, project, filling);
      expect(failed).toMatchObject({ status: 'failed', error: { code: 'disk_full', step: 'build' } });
      expect((await ask(urls[0]!)).body).toBe('v1');
      expect(readdirSync(join(dataDir, 'releases'))).not.toContain(failed.id);
      expect((await deploy(service, project, nodeApp('v2'))).error).toBeNull();
      expect((await ask(urls[0]!)).body).toBe('v2');
      await service.stop();
      const database = new DatabaseSync(join(dataDir, 'mooring.db'));
      expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
      database.close();
    }),
  );

  it.runIf(mayMount)('does not keep a killed service from starting and resuming', () =>
    onSmallDisk('180m', async (dataDir) => {
      const first = await startService({ dataDir, env: quiet });
      const project = await ensureProject(first, 'killed');
      const { urls } = await deploy(first, project, nodeApp('v1'));
      const id = await begin(
        first,
        project,
        nodeAppThat('head -c 400000000 /dev/zero > big; echo full; sleep 5; exit 1'),
      );
      await until('the disk is full', () => execFileSync('df', [dataDir], { encoding: 'utf8' }).includes('100%'));
      await first.stop('SIGKILL');
      const second = await startService({ dataDir, env: quiet });
      expect((await ask(urls[0]!)).body).toBe('v1');
      expect(await ended(second, id)).toMatchObject({ status: 'failed', error: { code: 'disk_full' } });
      expect((await deploy(second, project, nodeApp('v2'))).error).toBeNull();
      await second.stop();
    }),
  );

  it.runIf(mayMount)('rejects a build with sizes when there is too little space', () =>
    onSmallDisk('90m', async (dataDir) => {
      const service = await startService({ dataDir, env: quiet });
      const { error } = await deploy(service, await ensureProject(service, 'none'), nodeApp('v1'));
      expect(error).toMatchObject({ code: 'disk_full', step: 'source' });
      expect(error!.message).toMatch(/has \d+ MB free.*needs about 100 MB/);
      await service.stop();
    }),
  );
});

describe.runIf(has('postgres'))('a database that becomes unavailable', () => {
  it('delays a deployment and does not fail it', async () => {
    const postgres = await startPostgres();
    const service = await startService({ env: { DATABASE_URL: await newDatabase(postgres.url), ...quiet } });
    const project = await ensureProject(service, 'patient');
    const { urls } = await deploy(service, project, nodeApp('v1'));
    const id = await begin(
      service,
      project,
      nodeAppThat('for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $i; sleep 0.25; done', 'v2'),
    );
    await isLogged(service, id, 'line 3');
    await postgres.stop();
    expect((await ask(urls[0]!)).body, 'apps do not need it').toBe('v1');
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await postgres.start();
    expect((await ended(service, id)).error).toBeNull();
    expect((await ask(urls[0]!)).body).toBe('v2');
    const all = await events(service, id);
    expect(all.map((event) => event.id)).toEqual(all.map((_, i) => i + 1));
    const lines = all.map(({ data }) => String(data['line'])).filter((line) => /^line \d+$/.test(line));
    expect(lines).toEqual(Array.from({ length: 12 }, (_, i) => `line ${i + 1}`));
    await service.stop();
    await postgres.stop();
  });

  it('while the service starts a step: the step is resumed', async () => {
    const postgres = await startPostgres();
    const service = await startService({ env: { DATABASE_URL: await newDatabase(postgres.url), ...quiet } });
    const project = await ensureProject(service, 'resumed');
    const id = await begin(service, project, nodeAppThat('echo begun; sleep 1', 'v1'));
    await isLogged(service, id, 'begun');
    await postgres.stop();
    await new Promise((resolve) => setTimeout(resolve, 2500));
    await postgres.start();
    const { error, urls } = await ended(service, id);
    expect(error).toBeNull();
    expect((await ask(urls[0]!)).body).toBe('v1');
    await service.stop();
    await postgres.stop();
  });
});

describe('a build that prints endlessly', () => {
  it("keeps the first and last lines, and the service's memory small", async () => {
    const service = await startService({ env: quiet });
    const project = await ensureProject(service, 'noisy');
    const script = `yes "$(head -c 400 /dev/zero | tr '\\0' x)" | head -n 300000; echo the reason; exit 1`;
    const { id, error } = await deploy(service, project, nodeAppThat(script));
    expect(error).toMatchObject({ code: 'build_failed' });
    const all = await events(service, id);
    const lines = all.filter(({ event }) => event === 'log').map(({ data }) => String(data['line']));
    expect(lines.length).toBeLessThan(52_000);
    expect(lines.find((line) => line.endsWith('lines omitted'))).toMatch(/^2\d{5} /);
    expect(lines.slice(-3)).toContain('the reason');
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))![1];
    expect(Number(peak) / 1024, 'MB at most, for 120 MB of output').toBeLessThan(260);
    await service.stop();
  }, 90_000);
});

describe('a replaced release that could not be stopped', () => {
  it('is stopped later, without another deployment', async () => {
    const service = await startService({ env: quiet });
    const project = await ensureProject(service, 'stays');
    const first = await deploy(service, project, nodeApp('v1'));
    const { port } = await runningOf(service, first.id);
    const folder = join(service.dataDir, 'processes', 'instances');
    const state = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) =>
      name.endsWith('state.json'),
    )!;
    // Hides it from the runtime for a while.
    renameSync(join(folder, state), join(folder, `${state}.aside`));
    const second = await deploy(service, project, nodeApp('v2'));
    const isOver = () =>
      stepsOf(service.dataDir, second.id).every(({ status }) => ['done', 'skipped'].includes(status));
    await until('all its steps are over', isOver);
    renameSync(join(folder, `${state}.aside`), join(folder, state));
    const old = `http://127.0.0.1:${port}`;
    expect(await (await fetch(old)).text()).toBe('v1');
    await until(
      'it ends',
      () =>
        fetch(old).then(
          () => false,
          () => true,
        ),
      25_000,
    );
    expect((await ask(second.urls[0]!)).body).toBe('v2');
    await until('it stays so', async () => (await runningOf(service, first.id)).state === 'exited');
    await service.stop();
  }, 60_000);
});

const runningOf = async (service: Service, id: string) => {
  type Info = { data: { containers: { port: number; state: string }[] } };
  return (await json<Info>(service.get(`/api/deployments/${id}/info`))).data.containers[0]!;
};

describe('an edge that lost its routes', () => {
  it('gets them back', async () => {
    const service = await startService({ env: quiet });
    const project = await ensureProject(service, 'lost');
    const { id, urls } = await deploy(service, project, nodeApp('v1'));
    expect((await ask(urls[0]!)).body).toBe('v1');
    const pid = Number(execFileSync('pgrep', ['-f', `edge.cjs --data-dir ${service.dataDir} `], { encoding: 'utf8' }));
    process.kill(pid, 'SIGKILL');
    const file = join(service.dataDir, 'edge.json');
    const saved = JSON.parse(readFileSync(file, 'utf8')) as { projects: unknown[] };
    expect(saved.projects).toHaveLength(1);
    writeFileSync(file, JSON.stringify({ ...saved, projects: [], fences: {} }));
    await until('it serves again', async () => (await ask(urls[0]!)).body === 'v1', 25_000);
    expect((await get(service, id)).active).toBe(true);
    await service.stop();
  }, 60_000);
});

function nodeAppThat(build: string, version = 'x'): string {
  return nodeApp(version, '', { build });
}
