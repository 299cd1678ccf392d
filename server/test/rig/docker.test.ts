import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exited, newFolder, spawnRecorded } from './children.ts';
import { recordFile, removeEngines } from './docker-leftovers.ts';
import type { EngineNamespace } from './docker-namespace.ts';
import { has } from './parts.ts';
import { processes, processesOf, programOf } from './processes.ts';

/** A run that starts an engine with a network and a container, and is then killed. */
const killedRun = `
  const { startDocker } = await import(${JSON.stringify(join(import.meta.dirname, 'docker.ts'))});
  const { busybox, makeImage } = await import(${JSON.stringify(join(import.meta.dirname, 'docker-images.ts'))});
  const { client } = await startDocker();
  const post = (path, body) => client.json({ method: 'POST', path, body });
  await makeImage(client, busybox);
  await post('/networks/create', { Name: 'net' });
  const { Id } = await post('/containers/create', { Image: 'busybox', Cmd: ['sleep', '1000'], ExposedPorts: { '80/tcp': {} },
    HostConfig: { NetworkMode: 'net', Init: true, RestartPolicy: { Name: 'always' }, PortBindings: { '80/tcp': [{ HostIp: '127.0.0.1' }] } } });
  await post('/containers/' + Id + '/start');
  process.kill(process.pid, 'SIGKILL');`;

describe.runIf(has('docker'))('the engine of a killed run', () => {
  it('is removed by the next run, with everything it made', async () => {
    const folder = newFolder('killed-run');
    mkdirSync(join(folder, 'pids'));
    const run = spawnRecorded(process.execPath, ['--input-type=module', '-e', killedRun], {
      env: { ...process.env, MOORING_RIG_FOLDER: folder },
      stdio: 'inherit',
    });
    expect(await exited(run)).toBe('SIGKILL');
    const engine = join(
      folder,
      readdirSync(folder).find((name) => name.startsWith('docker-'))!,
    );
    const { name } = JSON.parse(readFileSync(join(engine, recordFile), 'utf8')) as EngineNamespace;
    const pid = Number(readFileSync(join(engine, 'pid'), 'utf8'));
    const left = () => ({
      engine: programOf(pid),
      processes: processesOf(engine).length,
      ofContainers: processes().filter((each) => cgroupOf(each).includes(name)).length,
      mounts: readFileSync('/proc/self/mounts', 'utf8').split(engine).length - 1,
      places: [engine, `/run/netns/${name}`, `/sys/class/net/${name}`, cgroups(name)].filter((path) =>
        existsSync(path),
      ),
    });
    const before = left();
    expect(before.engine).toBe('dockerd');
    expect(before.places).toHaveLength(4);
    for (const count of [before.processes, before.ofContainers, before.mounts]) expect(count).toBeGreaterThan(1);
    removeEngines(folder);
    expect(left()).toEqual({ engine: '', processes: 0, ofContainers: 0, mounts: 0, places: [] });
  });
});

const cgroupOf = (pid: number): string =>
  existsSync(`/proc/${pid}/cgroup`) ? readFileSync(`/proc/${pid}/cgroup`, 'utf8') : '';

/** On cgroup v1 each controller has a tree. */
const cgroups = (name: string): string =>
  existsSync('/sys/fs/cgroup/memory') ? `/sys/fs/cgroup/memory/${name}` : `/sys/fs/cgroup/${name}`;
