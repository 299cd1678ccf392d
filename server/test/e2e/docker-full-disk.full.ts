import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { deploy, ended, events, get } from '../rig/deploy.ts';
import { dockerApp } from '../rig/docker-app.ts';
import { type DockerStage, startDockerStage } from '../rig/docker-stage.ts';
import { engineLeftovers } from '../rig/engine-things.ts';
import { atRest } from '../rig/leftovers.ts';
import { has } from '../rig/parts.ts';
import { holdIn } from '../rig/phases.ts';
import { until } from '../rig/until.ts';
import { visit } from '../rig/visitors.ts';

const mayMount = process.getuid?.() === 0;

/** Writes until the disk is full. */
function fill(folder: string): () => void {
  const file = join(folder, 'filling');
  spawnSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=64k'], { stdio: 'ignore' });
  return () => rmSync(file, { force: true });
}

const versionAt = async (url: string) => (await visit(url, '/', { agent: false })).release.split(' ')[0]!;

describe.runIf(has('docker') && mayMount)('a full disk of the container engine', () => {
  let rig: DockerStage;
  let serving = 'v0';
  beforeAll(async () => {
    rig = await startDockerStage({ diskBytes: 600_000_000 });
  });
  afterAll(() => rig?.close());

  const service = () => rig.killable.now;
  const engineDisk = () => join(dirname(new URL(rig.docker.address).pathname), 'data');

  async function worksAgain(version: string): Promise<void> {
    const next = await deploy(service(), rig.projectId, dockerApp(version));
    expect(next.error).toBeNull();
    expect(await versionAt(rig.url)).toBe((serving = version));
    await atRest(service().dataDir);
    // An engine without space cannot even delete; upkeep does it later.
    let left: string[] = [];
    const look = async () => !(left = await engineLeftovers(rig.docker, service().dataDir)).length;
    await until('nothing is left', look).catch(() => expect(left).toEqual([]));
  }

  async function failsWithTheReason(id: string, step: string, reason = / is full/): Promise<void> {
    const { status, error } = await ended(service(), id);
    expect([status, error]).toMatchObject(['failed', { code: 'disk_full', step }]);
    expect(error!.message).toContain('the disk of the container engine');
    expect(error!.message).toMatch(reason);
    expect(error!.hint).toContain('redeploy');
    expect(await versionAt(rig.url)).toBe(serving);
    const lines = (await events(service(), id)).map(({ data }) => String(data['line']));
    expect(lines).toContainEqual(expect.stringContaining(`Failed at ${step}`));
  }

  it('filled by a build: the build fails, and leaves space for the next', async () => {
    const filling = dockerApp('filling', { scripts: { build: 'cat /dev/zero > big' } });
    await failsWithTheReason((await deploy(service(), rig.projectId, filling)).id, 'build');
    await worksAgain('v1');
  });

  it('filled before a build: the build is rejected with sizes, and a redeploy works once there is space', async () => {
    const makeRoom = fill(engineDisk());
    const failed = await deploy(service(), rig.projectId, dockerApp('none'));
    await failsWithTheReason(failed.id, 'build', /has 0 MB free, but this build needs about 100 MB/);
    expect(failed.error!.hint).toContain(engineDisk());
    makeRoom();
    const { deployment_id } = (await (await service().post(`/api/deployments/${failed.id}/redeploy`, {})).json()) as {
      deployment_id: string;
    };
    expect((await ended(service(), deployment_id)).error).toBeNull();
    await worksAgain('v2');
  });

  it('with less space than the last build used: the next is rejected with sizes', async () => {
    const taking = dockerApp('taking', { scripts: { build: 'head -c 120000000 /dev/urandom > big' } });
    expect((await deploy(service(), rig.projectId, taking)).error).toBeNull();
    serving = 'taking';
    const { bavail, bsize } = statfsSync(engineDisk());
    const file = join(engineDisk(), 'filling');
    writeFileSync(file, Buffer.alloc(bavail * bsize - 150_000_000));
    const { id } = await deploy(service(), rig.projectId, dockerApp('none'));
    await failsWithTheReason(id, 'build', /has 1[45]\d MB free, but this build needs about (1[6-9]|2\d)\d MB/);
    rmSync(file);
    expect((await deploy(service(), rig.projectId, dockerApp('v2.1'))).error).toBeNull();
    serving = 'v2.1';
  });

  it('filled after the build', async () => {
    const held = await holdIn('approve', rig.stage(), 'late');
    const makeRoom = fill(engineDisk());
    await held.letGo(service());
    await failsWithTheReason(held.id, 'start');
    makeRoom();
    await worksAgain('v3');
  });
});

describe.runIf(has('docker') && mayMount)('a full disk of the data folder, with releases in containers', () => {
  let rig: DockerStage;
  const dataDir = newFolder('small');
  beforeAll(async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200m,mode=755', 'tmpfs', dataDir]);
    rig = await startDockerStage({ dataDir, env: { MOORING_LOG_LEVEL: 'error' } });
  });
  afterAll(async () => {
    await rig?.close();
    execFileSync('umount', ['-l', dataDir]);
  });

  const service = () => rig.killable.now;

  it('during a build: nothing is lost, and it works again once there is space', async () => {
    const held = await holdIn('build', rig.stage(), 'v1');
    const makeRoom = fill(dataDir);
    await held.letGo(service());
    await sleep(4000);
    expect((await service().get('/api/projects')).status, 'reading works').toBe(200);
    expect(['v0', 'v1']).toContain(await versionAt(rig.url));
    await rig.killable.kill();
    await rig.killable.start();
    expect(['v0', 'v1']).toContain(await versionAt(rig.url));
    makeRoom();
    const over = await ended(service(), held.id);
    if (over.status === 'failed') expect(over.error).toMatchObject({ code: 'disk_full' });
    else expect(over.status).toBe('ready');
    const next = await deploy(service(), rig.projectId, dockerApp('v2'));
    expect(next.error).toBeNull();
    expect(await versionAt(rig.url)).toBe('v2');
    await atRest(dataDir);
    expect(await engineLeftovers(rig.docker, dataDir)).toEqual([]);
  }, 90_000);

  it('before a build: it is rejected with sizes, and the previous release serves', async () => {
    const file = join(dataDir, 'filling');
    writeFileSync(file, Buffer.alloc(120_000_000));
    const { error, id } = await deploy(service(), rig.projectId, dockerApp('v3'));
    expect(error).toMatchObject({ code: 'disk_full', step: 'source' });
    expect(error!.message).toMatch(/has \d+ MB free.*needs about 100 MB/);
    expect(await versionAt(rig.url)).toBe('v2');
    rmSync(file);
    expect((await deploy(service(), rig.projectId, dockerApp('v3'))).error).toBeNull();
    expect((await get(service(), id)).status).toBe('failed');
    await service().stop('SIGTERM');
    const database = new DatabaseSync(join(dataDir, 'mooring.db'));
    expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    database.close();
    await rig.killable.start();
  });
});
