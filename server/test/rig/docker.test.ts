import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exited, newFolder, spawnRecorded } from './children.ts';
import { isAddressOf, linksOf } from './docker-addresses.ts';
import { recordFile, removeEngines } from './docker-leftovers.ts';
import type { EngineAddresses } from './docker-addresses.ts';
import { has } from './parts.ts';
import { processes, processesOf, programOf } from './processes.ts';

/** A run that starts an engine with a network and a container in it, and is then killed. */
const killedRun = `
  const { startDocker } = await import(${JSON.stringify(join(import.meta.dirname, 'docker.ts'))});
  const { busybox, makeImage } = await import(${JSON.stringify(join(import.meta.dirname, 'docker-images.ts'))});
  const { client } = await startDocker();
  const post = (path, body) => client.json({ method: 'POST', path, body });
  await makeImage(client, busybox);
  await post('/networks/create', { Name: 'net' });
  const { Id } = await post('/containers/create', { Image: 'busybox', Cmd: ['sleep', '1000'], ExposedPorts: { '80/tcp': {} },
    HostConfig: { NetworkMode: 'net', RestartPolicy: { Name: 'always' }, PortBindings: { '80/tcp': [{ HostIp: '127.0.0.1' }] } } });
  await post('/containers/' + Id + '/start');
  process.kill(process.pid, 'SIGKILL');`;

describe.runIf(has('docker'))('an engine of a run that was killed', () => {
  it('is removed by the next one, with all that it made', async () => {
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
    const addresses = JSON.parse(readFileSync(join(engine, recordFile), 'utf8')) as EngineAddresses;
    const pid = Number(readFileSync(join(engine, 'pid'), 'utf8'));
    const left = () => ({
      engine: programOf(pid),
      processes:
        processesOf(engine).length + processes().filter((pid) => cgroupOf(pid).includes(addresses.cgroup)).length,
      links: linksOf(addresses).length,
      mounts: readFileSync('/proc/self/mounts', 'utf8').split(engine).length - 1,
      rules: rules().filter((word) => word === addresses.bridge || isAddressOf(addresses, word)).length,
      files: existsSync(engine),
    });
    const before = left();
    expect(before).toMatchObject({ engine: 'dockerd', files: true });
    for (const count of [before.processes, before.links, before.mounts, before.rules]) expect(count).toBeGreaterThan(1);
    removeEngines(folder);
    expect(left()).toEqual({ engine: '', processes: 0, links: 0, mounts: 0, rules: 0, files: false });
  });
});

const cgroupOf = (pid: number): string =>
  existsSync(`/proc/${pid}/cgroup`) ? readFileSync(`/proc/${pid}/cgroup`, 'utf8') : '';

const rules = (): string[] =>
  ['filter', 'nat'].flatMap((table) =>
    execFileSync('iptables', ['-w', '-t', table, '-S'], { encoding: 'utf8' }).split(/\s/),
  );
