import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { allProcesses, readProcess, wasStartedWith } from '../../src/drivers/host/processes.ts';
import { ownerToken } from '../rig/app.ts';
import { ask, begin, deploy, ended, ensureProject, events, get, json, nodeApp } from '../rig/deploy.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

/** An app with two programs for its commands. The build does nothing by default. */
function appWith(programs: { build?: string; release?: string }): string {
  const folder = nodeApp('up', '', { build: 'sh build.sh' });
  writeFileSync(join(folder, 'build.sh'), programs.build ?? '');
  writeFileSync(join(folder, 'release.sh'), programs.release ?? '');
  return folder;
}

const away = '> /dev/null 2>&1 & echo "started $!"';
const daemons = `
setsid sleep 300 ${away}
nohup sh -c 'trap "" TERM HUP; while :; do sleep 1; done' ${away}
(setsid nohup sh -c 'sleep 300; true' ${away})
`;

/** Writes its pid and a counter, ten times a second for six seconds, and ignores a closed pipe. */
const writer = `setsid sh -c 'for i in $(seq 60); do echo "$$ $i" >> beats; sleep 0.1; done' > /dev/null 2>&1 & wait`;

describe('build processes', () => {
  let service: Service;
  beforeEach(async () => {
    service = await startService({ env: { MOORING_LOG_LEVEL: 'warn' } });
  });
  afterEach(() => service.stop());

  const restart = async () => {
    service = await startService({ dataDir: service.dataDir, env: { MOORING_LOG_LEVEL: 'warn' } });
  };
  const logOf = async (id: string) => (await service.get(`/api/deployments/${id}/logs`)).text();
  const startedBy = async (id: string) =>
    [...(await logOf(id)).matchAll(/started (\d+)/g)].map(([, pid]) => Number(pid));
  const living = (pids: number[]) => pids.filter((pid) => readProcess(pid));
  const workingOn = (id: string) => allProcesses().filter(({ pid }) => wasStartedWith(pid, `MOORING_WORK=${id}/`));
  const beats = (id: string) => {
    const lines = readFileSync(join(service.dataDir, 'releases', id, 'beats'), 'utf8')
      .trim()
      .split('\n');
    return lines.map((line) => line.split(' ').map(Number) as [number, number]);
  };

  const ends = {
    cancel: async (id: string) => {
      expect((await service.post(`/api/deployments/${id}/cancel`, {})).status).toBe(200);
      expect((await ended(service, id)).status).toBe('cancelled');
    },
    removal: async (id: string) => {
      const headers = { authorization: `Bearer ${ownerToken}` };
      const answer = await fetch(`${service.url}/api/deployments/${id}`, { method: 'DELETE', headers });
      expect(answer.status).toBe(200);
    },
  };

  it.each(['cancel', 'removal'] as const)('are all killed after a %s, even detached ones', async (how) => {
    const project = await ensureProject(service, 'daemons');
    const { urls } = await deploy(service, project, appWith({}));
    const id = await begin(service, project, appWith({ build: `${daemons} sleep 300` }));
    const started = await until('all are started', async () => {
      const found = await startedBy(id);
      return found.length === 3 && living(found).length === 3 ? found : undefined;
    });
    if (process.getuid?.() === 0)
      for (const pid of started!) expect(statSync(`/proc/${pid}`).uid, 'not our own').toBeGreaterThanOrEqual(61_000);
    const began = Date.now();
    await ends[how](id);
    expect(Date.now() - began).toBeLessThan(10_000);
    // A removal responds at once and continues in the background.
    await until('none is left', () => !living(started!).length && !workingOn(id).length, 10_000);
    expect((await ask(urls[0]!)).body, 'the app is no build').toBe('up');
  });

  it('are all gone after a successful build', async () => {
    const project = await ensureProject(service, 'well');
    const deployment = await deploy(service, project, appWith({ build: daemons }));
    expect(deployment).toMatchObject({ status: 'ready', error: null });
    const started = await startedBy(deployment.id);
    expect(started).toHaveLength(3);
    expect([living(started), workingOn(deployment.id)]).toEqual([[], []]);
    expect((await ask(deployment.urls[0]!)).body).toBe('up');
  });

  /** Kills the service while the writer writes, and returns the writers in order. */
  async function killDuring(id: string): Promise<number[]> {
    await until('it writes', () => beats(id).length >= 5);
    await service.stop('SIGKILL');
    const before = beats(id).length;
    await sleep(500);
    expect(beats(id).length, 'it goes on without the service').toBeGreaterThan(before);
    await restart();
    expect(await ended(service, id)).toMatchObject({ status: 'ready', error: null });
    const written = beats(id);
    const last = written.at(-1)![0];
    expect(written.filter(([pid]) => pid === last).map(([, i]) => i)).toEqual(
      Array.from({ length: 60 }, (_, i) => i + 1),
    );
    return written.map(([pid]) => pid).filter((pid, i, all) => pid !== all[i - 1]);
  }

  it('of a killed service have ended before the next attempt starts', async () => {
    const project = await ensureProject(service, 'killed');
    const id = await begin(service, project, appWith({ build: writer }));
    const writers = await killDuring(id);
    expect(writers, 'one after the other').toHaveLength(2);
    expect([living(writers), workingOn(id)]).toEqual([[], []]);
    expect(await logOf(id)).toMatch(/Stopped processes of the previous attempt: \d+ processes/);
    const attempts = (await events(service, id)).filter(({ event, data }) => event === 'step' && data['attempt'] === 2);
    expect(attempts.map(({ data }) => data['name'])).toEqual(['build']);
    expect((await get(service, id)).active).toBe(true);
  });

  it('of a release command have ended too, and the log says that it runs again', async () => {
    const project = await ensureProject(service, 'migrating', { releaseCommand: 'sh release.sh' });
    const id = await begin(service, project, appWith({ release: writer }));
    const writers = await killDuring(id);
    expect(writers, 'one after the other').toHaveLength(2);
    expect([living(writers), workingOn(id)]).toEqual([[], []]);
    expect(await logOf(id)).toContain('the release command runs again (attempt 2)');
  });

  it('of a hanging fetch end with its deployment, or with the next fetch of the source', async () => {
    // Addresses are checked before git gets them, so a silent host is detected before there is a process.
    const { url, connections } = await silentServer();
    const project = await ensureProject(service, 'hanging', { source: { type: 'git', url } });
    const { data } = await json<{ data: { id: string } }>(service.post('/api/deployments', { projectId: project }));
    await until('it fetches', () => connections() === 1);
    await ends.cancel(data.id);
    expect(workingOn(data.id)).toEqual([]);

    const prepare = (address: string) => service.post('/api/deployments/prepare', { source: 'githost', url: address });
    const tmp = join(service.dataDir, 'tmp');
    const hanging = prepare(url).catch(() => 'cut off');
    const [name] = await until('it looks', () => readdirSync(tmp));
    await until('it fetches', () => connections() === 2);
    await service.stop('SIGKILL');
    expect(await hanging).toBe('cut off');
    await restart();
    expect((await prepare('http://127.0.0.1:1/none.git')).status).toBe(400);
    expect([workingOn(name!), readdirSync(tmp)]).toEqual([[], []]);
  });
});

/** Accepts connections and never responds. */
async function silentServer(): Promise<{ url: string; connections: () => number }> {
  const sockets = new Set<{ destroy(): unknown }>();
  const server = createServer((socket) => void sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/silent.git`;
  return { url, connections: () => sockets.size };
}
