import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { allProcesses, environmentOf } from '../../src/drivers/host/processes.ts';
import { ownerToken } from '../rig/app.ts';
import { newFolder } from '../rig/children.ts';
import { ask, deploy, ensureProject, folderOf, nodeApp } from '../rig/deploy.ts';
import { operators, placeOf } from '../rig/operators.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

/** Executes its query: reads files, starts processes, and reports the result. */
const attacker = (build: string) =>
  folderOf({
    'package.json': JSON.stringify({ name: 'attacker', scripts: { start: 'node server.js', build: 'sh build.sh' } }),
    'build.sh': build,
    'server.js': `
      const fs = require('node:fs');
      const { spawn } = require('node:child_process');
      const outcome = (act) => { try { return act(); } catch (error) { return error.code; } };
      require('node:http').createServer(async (request, response) => {
        const { files, processes } = JSON.parse(new URL(request.url, 'http://a').searchParams.get('ask') ?? '{"files":[]}');
        let refused = 0;
        const children = Array.from({ length: processes ?? 0 }, () => spawn('/bin/sleep', ['20']).on('error', () => refused++));
        await new Promise((resolve) => setTimeout(resolve, processes ? 500 : 0));
        children.forEach((child) => child.pid && child.kill('SIGKILL'));
        const status = fs.readFileSync('/proc/self/status', 'utf8');
        response.end(JSON.stringify({
          uid: process.getuid(),
          noNewPrivileges: status.includes('NoNewPrivs:\\t1'),
          read: Object.fromEntries(files.map((file) => [file, outcome(() => fs.readFileSync(file, 'latin1').length)])),
          locked: outcome(() => fs.closeSync(fs.openSync(process.argv[1].replace(/releases.*/, 'service.lock'), 'r'))),
          refused,
          built: outcome(() => fs.readFileSync('built.txt', 'utf8')),
        }));
      }).listen(process.env.PORT, process.env.HOST);`,
  });

const commandOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
};

type Told = {
  uid: number;
  noNewPrivileges: boolean;
  read: Record<string, number | string>;
  locked: string;
  refused: number;
  built: string;
};

describe.runIf(process.getuid?.() === 0).each(operators)('apps of a service that %s runs', (who) => {
  let service: Service;
  const place = placeOf(who);
  const { home, dataDir } = place;
  beforeAll(async () => {
    const key = join(home, '.ssh/id_ed25519');
    mkdirSync(join(home, '.ssh'));
    writeFileSync(key, 'private', { mode: 0o600 });
    for (const path of [join(home, '.ssh'), key]) chownSync(path, place.uid, place.uid);
    service = await place.start({ MOORING_PROCESS_LIMIT: '150' });
  });
  afterAll(() => service.stop());

  it('reach neither the service nor other projects, at runtime and during builds', async () => {
    expect(service.output()).not.toContain('cannot be confined');
    const secret = `secret-${Math.random()}`;
    const victim = await ensureProject(service, 'victim');
    const deployed = await deploy(service, victim, attacker('true'), { envVars: { SECRET: secret } });
    expect(deployed.error).toBeNull();
    const victimProcess = await until('the victim runs', () =>
      allProcesses().find(({ pid }) => environmentOf(pid).includes(secret)),
    );
    const key = join(dataDir, 'secret.key');
    const files = [
      key,
      '/etc/shadow',
      `/proc/${service.child.pid}/environ`,
      `/proc/${victimProcess!.pid}/environ`,
      ...readdirSync(join(dataDir, 'releases')).map((name) => join(dataDir, 'releases', name, 'server.js')),
      ...['mooring.db', 'service.lock', 'edge.lock', 'edge.json'].map((name) => join(dataDir, name)),
      join(home, '.ssh/id_ed25519'),
    ];
    for (const file of files) expect(statSync(file), file).toBeTruthy();
    const build = `for file in ${files.join(' ')}; do cat "$file" > /dev/null 2>&1 && echo "$file" >> built.txt; done; touch built.txt`;
    const other = await deploy(service, await ensureProject(service, 'attacker'), attacker(build));
    expect(other.error).toBeNull();
    const query = encodeURIComponent(JSON.stringify({ files, processes: 300 }));
    const told = JSON.parse((await ask(other.urls[0]!, `/?ask=${query}`)).body) as Told;
    expect(told.built).toBe('');
    expect(Object.entries(told.read).filter(([, outcome]) => typeof outcome === 'number')).toEqual([]);
    expect(told.locked).toMatch(/^(EACCES|ENOENT)$/);
    expect(told.noNewPrivileges).toBe(true);
    expect(told.refused).toBeGreaterThan(100);
    if (who === 'root') expect(told.uid).toBeGreaterThan(1_800_000_000);
    else expect(told.uid).toBe(place.uid);
  });

  it.runIf(who === 'root')('leave no daemon behind when their project is deleted', async () => {
    const seconds = String(100_000 + process.pid);
    const build = `env -i setsid /bin/sleep ${seconds} > /dev/null 2>&1 & sleep 1`;
    const projectId = await ensureProject(service, 'daemon');
    expect((await deploy(service, projectId, attacker(build))).error).toBeNull();
    const isRunning = () => allProcesses().some(({ pid }) => commandOf(pid) === `/bin/sleep\0${seconds}\0`);
    expect(isRunning(), 'it has got away from the end of its build').toBe(true);
    const headers = { authorization: `Bearer ${ownerToken}` };
    expect((await fetch(`${service.url}/api/projects/${projectId}`, { method: 'DELETE', headers })).status).toBe(200);
    await until('it is gone', () => !isRunning());
  });

  it.runIf(who === 'an ordinary user')('cannot create nested namespaces or forge their exit code', async () => {
    const build = 'unshare --user true && exit 0; echo 0 > /proc/1/fd/4; sleep 1; exit 7';
    const { error } = await deploy(service, await ensureProject(service, 'forger'), attacker(build));
    expect(error).toMatchObject({ code: 'build_failed', message: expect.stringContaining('exit code 7') });
    expect(error!.excerpt.join('\n')).toMatch(/unshare failed: No space left on device[^]*Permission denied/);
  });

  it('cannot see files of other projects in temporary folders', async () => {
    // npm runs compiled code from /tmp/node-compile-cache.
    const name = `planted-${process.pid}-${place.uid}`;
    const files = ['/tmp/node-compile-cache', '/var/tmp', '/dev/shm'].map((folder) => join(folder, name));
    onTestFinished(() => files.forEach((file) => rmSync(file, { force: true })));
    const plant = files.map((file) => `mkdir -p ${dirname(file)}; echo evil > ${file} || exit 1`).join('\n');
    const first = await deploy(service, await ensureProject(service, 'first'), attacker(plant));
    expect(first.error).toBeNull();
    const build = `for file in ${files.join(' ')}; do cat "$file" >> built.txt 2> /dev/null; done; touch built.txt`;
    const second = await deploy(service, await ensureProject(service, 'second'), attacker(build));
    expect(second.error).toBeNull();
    const query = encodeURIComponent(JSON.stringify({ files }));
    const look = async () => JSON.parse((await ask(second.urls[0]!, `/?ask=${query}`)).body) as Told;
    const nothing = { built: '', read: Object.fromEntries(files.map((file) => [file, 'ENOENT'])) };
    expect(await look()).toMatchObject(nothing);
    const restarted = await service.post(`/api/deployments/${second.id}/restart`, {});
    expect(restarted.status).toBeLessThan(300);
    expect(await look()).toMatchObject(nothing);
    expect(files.filter((file) => existsSync(file))).toEqual([]);
  });
});

describe.runIf(process.getuid?.() === 0)('a data folder that project users cannot enter', () => {
  it('runs no app as root, and works once it is moved', async () => {
    const closed = newFolder('closed');
    chmodSync(closed, 0o700);
    let dataDir = join(closed, 'data');
    let service = await startService({ dataDir });
    onTestFinished(() => void service.stop());
    await until('the start says how to move the data', () =>
      service.output().includes(`mv ${dataDir} /var/lib/mooring`),
    );
    const site = await deploy(service, await ensureProject(service, 'site'), folderOf({ 'index.html': 'hello' }));
    expect(site.error).toBeNull();
    const project = await ensureProject(service, 'app');
    const refused = await deploy(service, project, nodeApp('v1'));
    expect(refused.error).toMatchObject({ code: 'isolation_unavailable', message: expect.stringContaining(closed) });
    await service.stop();
    const before = dataDir;
    dataDir = join(newFolder('open'), 'data');
    chmodSync(join(dataDir, '..'), 0o711);
    renameSync(before, dataDir);
    service = await startService({ dataDir });
    const made = await deploy(service, project, nodeApp('v2'));
    expect((await ask(made.urls[0]!)).body).toBe('v2');
    await until('the site is served from there', async () => (await ask(site.urls[0]!)).body === 'hello');
  });
});
