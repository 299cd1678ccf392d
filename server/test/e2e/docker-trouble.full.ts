import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, ended, ensureProject, folderOf } from '../rig/deploy.ts';
import { dockerApp } from '../rig/docker-app.ts';
import { node } from '../rig/docker-images.ts';
import { type DockerStage, startDockerStage } from '../rig/docker-stage.ts';
import { containersOf, engineLeftovers, imagesOf } from '../rig/engine-things.ts';
import { follow } from '../rig/follower.ts';
import { eventsIn } from '../rig/inside.ts';
import { atRest } from '../rig/leftovers.ts';
import { has } from '../rig/parts.ts';
import { holdIn } from '../rig/phases.ts';
import { secondOrganization } from '../rig/second-organization.ts';
import { until } from '../rig/until.ts';
import { smallCrowd, startVisitors, visit } from '../rig/visitors.ts';

// A short version of the full tests (docker-*.full.ts).
describe.runIf(has('docker'))('failures with releases in containers', () => {
  let rig: DockerStage;
  beforeAll(async () => {
    rig = await startDockerStage();
  });
  afterAll(() => rig?.close());

  const service = () => rig.killable.now;
  const versionAt = async (url: string) => (await visit(url, '/', { agent: false })).release.split(' ')[0]!;

  async function nothingIsLeft(): Promise<void> {
    await atRest(service().dataDir);
    expect(await engineLeftovers(rig.docker, service().dataDir)).toEqual([]);
  }

  it('kill -9 of the service during a build goes unnoticed', async () => {
    const visitors = startVisitors(rig.url, 'v0', smallCrowd);
    visitors.allow('v1');
    const held = await holdIn('build', rig.stage(), 'v1');
    const follower = follow(service().url, held.id);
    await rig.killable.kill();
    await rig.killable.start();
    await held.letGo(service());
    expect((await ended(service(), held.id)).error).toBeNull();
    expect(await versionAt(rig.url)).toBe('v1');
    const seen = (await follower.ended).map(({ id }) => id);
    expect(seen).toEqual(eventsIn(service().dataDir, held.id).map(({ seq }) => seq));
    expect((await visitors.stop()).failures).toEqual([]);
    await nothingIsLeft();
  });

  it('kill -9 of the engine during a health check: it resumes, and each name responds only as itself', async () => {
    const project = await ensureProject(service(), 'neighbour');
    const neighbour = (await deploy(service(), project, dockerApp('neighbour'))).urls[0]!;
    const held = await holdIn('check', rig.stage(), 'v2');
    const answers = new Set<string>();
    const stopping = new AbortController();
    const asking = (async () => {
      // There may be a moment without a response.
      for (; !stopping.signal.aborted; await sleep(5))
        await versionAt(neighbour).then(
          (each) => answers.add(each),
          () => {},
        );
    })();
    await rig.docker.stop('SIGKILL');
    await rig.docker.start();
    await held.letGo(service());
    expect((await ended(service(), held.id)).error).toBeNull();
    const both = async () => `${await versionAt(rig.url)} ${await versionAt(neighbour)}` === 'v2 neighbour';
    await until('both answer', both);
    stopping.abort();
    await asking;
    expect([...answers]).toEqual(['neighbour']);
    await nothingIsLeft();
  });

  it('a removed container or image is restored', async () => {
    const byHand = (path: string) => rig.docker.client.json({ method: 'DELETE', path, query: { force: true } });
    const running = (await containersOf(rig.docker)).filter(({ State }) => State === 'running');
    for (const { Id } of running) await byHand(`/containers/${Id}`);
    await until('it answers', async () => (await versionAt(rig.url)) === 'v2');
    const tags = (await imagesOf(rig.docker)).flatMap(({ RepoTags }) => RepoTags ?? []);
    await byHand(`/images/${tags.find((tag) => tag.endsWith(rig.first.id))!}`);
    const answer = await service().post(`/api/deployments/${rig.first.id}/rollback`, {});
    const { deployment_id } = (await answer.json()) as { deployment_id: string };
    expect((await ended(service(), deployment_id)).error).toBeNull();
    expect(await versionAt(rig.url)).toBe('v0');
  });

  it('an image of another organization cannot be used for a build', async () => {
    const others = await secondOrganization(service());
    const tags = (await imagesOf(rig.docker)).flatMap(({ RepoTags }) => RepoTags ?? []);
    const name = tags.find((tag) => tag.startsWith('mooring/'))!;
    const Dockerfile = `FROM ${node.name}\nCOPY --from=${name} /app /app\n`;
    const { error } = await deploy(others, await ensureProject(others, 'thief'), folderOf({ Dockerfile }));
    expect(error).toMatchObject({ code: 'build_refused', message: `the image ${name} belongs to another project` });
  });
});
