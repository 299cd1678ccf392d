import { afterAll, beforeAll, expect, it } from 'vitest';
import { deploy, type DeploymentJson, ended, events, json } from './deploy.ts';
import { dockerApp } from './docker-app.ts';
import type { DockerStage } from './docker-stage.ts';
import { containersOf, imagesOf } from './engine-things.ts';
import { sayFigures } from './figures.ts';
import { atRest } from './leftovers.ts';
import { heldPhases, holdIn } from './phases.ts';
import { startVisitors, visit, type Visitors } from './visitors.ts';

const redeploys = 10;
const rollbacks = 3;
const restarts = 3;

/** Redeploys, rolls back, restarts, cancels and fails an app in containers under load. */
export function deployedAllTheTime(start: () => Promise<DockerStage>): void {
  let rig: DockerStage;
  let visitors: Visitors;
  let version = 'v0';
  const ready: DeploymentJson[] = [];

  beforeAll(async () => {
    rig = await start();
    ready.push(rig.first);
    const crowd = { fresh: 2, kept: 2, posts: 2, sockets: 2, downloads: 2 };
    visitors = startVisitors(rig.url, 'v0', crowd, rig.address);
  }, 180_000);
  afterAll(async () => {
    await visitors?.stop();
    await rig?.close();
  });

  const service = () => rig.killable.now;
  const act = (id: string, action: string, body: object = {}) =>
    service().post(`/api/deployments/${id}/${action}`, body);
  const started = async (response: Promise<Response>) =>
    ended(service(), (await json<{ deployment_id: string }>(response)).deployment_id);
  const answering = async () => (await visit(rig.url, '/', { agent: false, address: rig.address })).release;
  const versionOf = (release: string) => release.split(' ')[0]!;
  const nothingFailed = () => expect(visitors.figures.failures).toEqual([]);

  /** Once it is ready, no older release responds. */
  async function isServed(deployment: DeploymentJson, expected: string): Promise<void> {
    expect([deployment.status, deployment.error]).toEqual(['ready', null]);
    const release = await answering();
    expect(versionOf(release)).toBe(expected);
    visitors.expect(release);
    version = expected;
    ready.push(deployment);
  }

  it(`notice nothing of ${redeploys} redeploys`, async () => {
    for (let i = 1; i <= redeploys; i++) {
      // Every third is a redeploy of the same source.
      const again = i % 3 === 0;
      const next = again ? version : `v${i}`;
      visitors.allow(next);
      await isServed(
        again
          ? await started(act(ready.at(-1)!.id, 'redeploy'))
          : await deploy(service(), rig.projectId, dockerApp(next, { scripts: { build: `echo building ${next}` } })),
        next,
      );
    }
    nothingFailed();
  }, 240_000);

  it(`nor of ${rollbacks} rollbacks`, async () => {
    for (let i = 1; i <= rollbacks; i++) {
      const before = await answering();
      const back = await started(act(ready.at(-3)!.id, 'rollback'));
      const release = await answering();
      await isServed(back, versionOf(release));
      expect(Number(release.split(' ')[1])).toBeGreaterThan(Number(before.split(' ')[1]));
    }
    nothingFailed();
  }, 120_000);

  it.each(heldPhases)('nor of a cancel in %s', async (phase) => {
    const tooLate = phase === 'route' || phase === 'retire';
    const next = `cancelled-in-${phase}`;
    if (tooLate) visitors.allow(next);
    const held = await holdIn(phase, rig.stage(), next);
    const began = Date.now();
    expect((await act(held.id, 'cancel')).status).toBe(tooLate ? 400 : 200);
    // A start that waits for another program is released; the other phases end while they are blocked.
    if (tooLate || phase === 'start') await held.letGo(service());
    const over = await ended(service(), held.id);
    const took = Date.now() - began;
    if (phase === 'source') await held.letGo(service());
    sayFigures(`cancel in ${phase}`, { status: over.status, ms: took });
    expect(took).toBeLessThan(8000);
    if (tooLate) return isServed(over, next);
    expect(over.status).toBe('cancelled');
    expect(versionOf(await answering())).toBe(version);
    const named = (await containersOf(rig.docker)).filter(({ Labels }) => Labels?.['mooring.deployment'] === held.id);
    expect(named).toEqual([]);
    const tags = (await imagesOf(rig.docker)).flatMap(({ RepoTags }) => RepoTags ?? []);
    expect(tags).not.toContainEqual(expect.stringContaining(held.id));
    return nothingFailed();
  });

  it.each([
    { how: 'at once', more: 'console.error("no database at all"); process.exit(3);', exit: 3 },
    {
      how: 'after it has answered',
      more: 'setTimeout(() => { console.error("no database at all"); process.exit(4); }, 700);',
      exit: 4,
    },
  ])('nor of a release that falls over $how; it fails with its last lines', async ({ more, exit }) => {
    const running = async () =>
      (await containersOf(rig.docker))
        .filter(({ State }) => State === 'running')
        .map(({ Id }) => rig.docker.client.json<Looked>({ method: 'GET', path: `/containers/${Id}/json` }));
    await atRest(service().dataDir);
    const before = await Promise.all(await running());
    const bad = await deploy(service(), rig.projectId, dockerApp('crashing', { more }));
    expect(bad).toMatchObject({ status: 'failed', active: false, error: { code: 'crashed', step: 'check' } });
    expect(bad.error!.message).toContain(`exit code ${exit}`);
    expect(bad.error!.message).toContain('no database at all');
    const lines = (await events(service(), bad.id)).map(({ data }) => data['line']);
    expect(lines).toContain('no database at all');
    const after = await Promise.all(await running());
    const marks = (all: Looked[]) => all.map(({ Id, State, RestartCount }) => [Id, State.StartedAt, RestartCount]);
    expect(marks(after), 'the old release is the same process').toEqual(marks(before));
    expect(versionOf(await answering())).toBe(version);
    nothingFailed();
  });

  // Long-lived connections end with the app: WebSocket clients have to reconnect.
  it(`nor of ${restarts} restarts, but for WebSockets`, async () => {
    await visitors.stop();
    const crowd = { fresh: 2, kept: 2, posts: 2, sockets: 0, downloads: 2 };
    const others = startVisitors(rig.url, version, crowd, rig.address);
    for (let i = 1; i <= restarts; i++) {
      const before = await answering();
      await json(act(ready.at(-1)!.id, 'restart'));
      const release = await answering();
      expect(Number(release.split(' ')[1]), 'it is another process').toBeGreaterThan(Number(before.split(' ')[1]));
    }
    const { failures, versions, ...figures } = await others.stop();
    sayFigures('restarts', { ...figures, failed: failures.length, versions: versions.size });
    expect(failures).toEqual([]);
  }, 120_000);

  it('and nothing is left of all that', async () => {
    const { failures, versions, ...figures } = await visitors.stop();
    sayFigures('visitors', { ...figures, failed: failures.length, versions: versions.size });
    expect(failures).toEqual([]);
    await atRest(service().dataDir);
    expect(await rig.leftovers()).toEqual([]);
  });
}

type Looked = { Id: string; State: { StartedAt: string }; RestartCount: number };
