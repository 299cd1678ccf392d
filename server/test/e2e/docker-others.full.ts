import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDockerImages } from '../../src/drivers/images/docker-images.ts';
import { ownerToken } from '../rig/app.ts';
import { begin, deploy, type DeploymentJson, ended, ensureProject, events, json } from '../rig/deploy.ts';
import { dockerApp } from '../rig/docker-app.ts';
import { node } from '../rig/docker-images.ts';
import { type DockerStage, startDockerStage } from '../rig/docker-stage.ts';
import { containersOf, type ImageThing, imagesOf, networksOf, volumesOf } from '../rig/engine-things.ts';
import { readInside } from '../rig/inside.ts';
import { atRest } from '../rig/leftovers.ts';
import { has } from '../rig/parts.ts';
import { holdIn } from '../rig/phases.ts';
import { until } from '../rig/until.ts';
import { visit } from '../rig/visitors.ts';

describe.runIf(has('docker'))('foreign objects in the engine', () => {
  let rig: DockerStage;
  beforeAll(async () => {
    rig = await startDockerStage();
  });
  afterAll(() => rig?.close());

  const service = () => rig.killable.now;
  const versionAt = async (url: string) => (await visit(url, '/', { agent: false })).release.split(' ')[0]!;
  const post = <T>(path: string, query: object = {}, body?: object) =>
    rig.docker.client.json<T>({ method: 'POST', path, query: query as Record<string, string>, ...(body && { body }) });
  const tagsOf = async () => (await imagesOf(rig.docker)).flatMap(({ RepoTags }: ImageThing) => RepoTags ?? []);
  const nameOf = (projectId: string, id: string) => `mooring/${projectId.toLowerCase()}:${id}`;
  const instanceId = () =>
    readInside(service().dataDir, (database) => {
      const found = database.prepare('select id from instance').get() as { id: string };
      return found.id;
    });
  const started = async (id: string, action: string) =>
    ended(
      service(),
      (await json<{ deployment_id: string }>(service().post(`/api/deployments/${id}/${action}`, {}))).deployment_id,
    );
  const stepsSeen = async (id: string) =>
    (await events(service(), id)).filter(({ event }) => event === 'step').map(({ data }) => data['name']);
  const removeByHand = (image: string) =>
    rig.docker.client.json({ method: 'DELETE', path: `/images/${image}`, query: { force: true } });

  /** An image based on another one, like `docker commit`: it inherits the labels. */
  async function imageLike(image: string, repo: string, tag: string, Labels: Record<string, string> = {}) {
    const { Id } = await post<{ Id: string }>('/containers/create', {}, { Image: image, Labels });
    await post('/commit', { container: Id, repo, tag }, { Labels });
    await rig.docker.client.json({ method: 'DELETE', path: `/containers/${Id}` });
  }

  /** Everything outside the given projects, with its state. */
  async function everythingBut(projects: string[]): Promise<unknown[]> {
    const isTheirs = (labels: Record<string, string> | null, name: string) =>
      !(labels?.['mooring.instance'] === instanceId() && projects.includes(labels['mooring.project'] ?? '')) ||
      /theirs/.test(name);
    const [containers, images, networks, volumes] = await Promise.all([
      containersOf(rig.docker),
      imagesOf(rig.docker),
      networksOf(rig.docker),
      volumesOf(rig.docker),
    ]);
    return [
      ...containers
        .filter((each) => isTheirs(each.Labels, each.Names.join()))
        .map(({ Id, Names, State }) => [Names, Id, State]),
      ...images
        .map((image) => ({
          ...image,
          tags: (image.RepoTags ?? []).filter(
            (tag) =>
              isTheirs(image.Labels, tag) || !projects.some((id) => tag.startsWith(`mooring/${id.toLowerCase()}:dep_`)),
          ),
        }))
        .filter(({ tags }) => tags.length)
        .map(({ Id, tags }) => [tags.toSorted(), Id]),
      ...networks.filter((each) => isTheirs(each.Labels, each.Name)).map(({ Id, Name }) => [Name, Id]),
      ...volumes.map(({ Name }) => [Name]),
    ].toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }

  async function makeThingsOfOthers(project: string, made: DeploymentJson): Promise<void> {
    const foreign = {
      'mooring.instance': 'ins_another',
      'mooring.organization': 'org_a',
      'mooring.project': project,
      'mooring.deployment': made.id,
      'mooring.service': 'app',
      'mooring.fence': '1',
    };
    const image = nameOf(project, made.id);
    const sleeping = { Image: node.name, Cmd: ['sleep', '1000'], HostConfig: { Init: true } };
    const run = async (name: string, body: object) => {
      const { Id } = await post<{ Id: string }>('/containers/create', { name }, { ...sleeping, ...body });
      await post(`/containers/${Id}/start`);
    };
    await run('theirs-plain', {});
    await run('mooring-theirs', {});
    await run(`mooring-${made.id}-theirs`, { Labels: foreign });
    // Based on our image, which therefore cannot be removed; it inherits the labels.
    await run('theirs-from-ours', { Image: image });
    await post('/containers/create', { name: 'theirs-stopped' }, { ...sleeping, Labels: foreign });
    await imageLike(node.name, 'mooring/theirs', 'dep_1');
    await imageLike(node.name, `mooring/${project.toLowerCase()}`, 'theirs', foreign);
    await imageLike(image, 'theirs/from-ours', 'latest');
    await imageLike(image, `mooring/${project.toLowerCase()}`, `${made.id}-theirs`);
    for (const [Name, Labels] of Object.entries({ 'mooring-theirs': {}, 'theirs-labelled': foreign })) {
      await post('/networks/create', {}, { Name, Labels });
      await post('/volumes/create', {}, { Name, Labels });
    }
    await post(
      '/volumes/create',
      {},
      { Name: 'theirs-like-ours', Labels: { ...foreign, 'mooring.instance': instanceId() } },
    );
  }

  it('are untouched by deployments, cleanup, removals, upkeep and pruning', async () => {
    const project = await ensureProject(service(), 'doomed', { rollbackWindow: 1 });
    const first = await deploy(service(), project, dockerApp('a'));
    expect(first.error).toBeNull();
    await makeThingsOfOthers(project, first);
    const projects = [project, rig.projectId];
    const before = await everythingBut(projects);
    expect(before.length).toBeGreaterThan(14);
    for (const version of ['b', 'c', 'd'])
      expect((await deploy(service(), project, dockerApp(version))).error).toBeNull();
    const broken = dockerApp('e', { scripts: { build: 'exit 3' } });
    expect((await deploy(service(), project, broken)).status).toBe('failed');
    const endless = await begin(service(), project, dockerApp('f', { scripts: { build: 'sleep 100' } }));
    await sleep(1500);
    await json(service().post(`/api/deployments/${endless}/cancel`, {}));
    expect((await ended(service(), endless)).status).toBe('cancelled');
    expect(await everythingBut(projects), 'after deployments').toEqual(before);
    const headers = { authorization: `Bearer ${ownerToken}` };
    await json(fetch(`${service().url}/api/projects/${project}`, { method: 'DELETE', headers }));
    const isOurs = (name: string) => !name.includes('theirs');
    const tagsLeft = async () =>
      (await tagsOf()).filter((tag) => tag.startsWith(`mooring/${project.toLowerCase()}:dep_`) && isOurs(tag));
    await until('all of it is gone but the image that somebody else runs', async () => {
      const left = (await containersOf(rig.docker)).filter(({ Labels }) => Labels?.['mooring.project'] === project);
      return left.every(({ Names }) => !isOurs(Names.join())) && (await tagsLeft()).length === 1;
    });
    expect(await tagsLeft()).toEqual([nameOf(project, first.id)]);
    const images = createDockerImages({
      engine: rig.docker.client,
      instanceId: instanceId(),
      folder: join(service().dataDir, 'containers'),
      report: (_, error) => expect(error).toBeUndefined(),
    });
    await images.prune(0);
    // One upkeep round, and another one after a start.
    await sleep(11_000);
    await rig.killable.kill();
    await rig.killable.start();
    await sleep(2_000);
    expect(await everythingBut(projects), 'in the end').toEqual(before);
    await rig.docker.client.json({ method: 'DELETE', path: '/containers/theirs-from-ours', query: { force: true } });
    await until('that image goes too, once nobody runs it', async () => !(await tagsLeft()).length);
    expect(await versionAt(rig.url)).toBe('v0');
  }, 120_000);

  it('keeps the images of pinned releases and the rollback window, and removes the others', async () => {
    const project = await ensureProject(service(), 'kept', { rollbackWindow: 1 });
    const made: DeploymentJson[] = [];
    for (const version of ['a', 'b', 'c', 'd']) {
      made.push(await deploy(service(), project, dockerApp(version)));
      if (version === 'a') await json(service().post(`/api/deployments/${made[0]!.id}/pin`, { pinned: true }));
    }
    await atRest(service().dataDir);
    const kept = (await tagsOf()).filter((tag) => tag.startsWith(`mooring/${project.toLowerCase()}:`));
    expect(kept.toSorted()).toEqual([0, 2, 3].map((i) => nameOf(project, made[i]!.id)).toSorted());
    const back = await started(made[0]!.id, 'rollback');
    expect(back.error).toBeNull();
    expect(await stepsSeen(back.id)).not.toContain('build');
    expect(await versionAt(back.urls[0]!)).toBe('a');
    // It has left the rollback window: its upload is built again.
    const older = await started(made[1]!.id, 'rollback');
    expect(older.error).toBeNull();
    expect(await stepsSeen(older.id)).toContain('build');
    expect(await versionAt(back.urls[0]!)).toBe('b');
  }, 90_000);

  it.each(['an upload', 'a commit'])(
    'rebuilds %s when its image was removed manually',
    async (source) => {
      const name = source === 'a commit' ? 'staged' : 'by-hand';
      const project = await ensureProject(service(), name);
      const make = async (version: string) => {
        if (name !== 'staged') return deploy(service(), project, dockerApp(version));
        rig.git.push('staged', dockerApp(version), version);
        return ended(
          service(),
          (await json<{ data: { id: string } }>(service().post('/api/deployments', { projectId: project }))).data.id,
        );
      };
      const [first, second] = [await make('old'), await make('new')];
      expect([first.error, second.error]).toEqual([null, null]);
      await atRest(service().dataDir);
      await removeByHand(nameOf(project, first.id));
      const back = await started(first.id, 'rollback');
      expect(back.error).toBeNull();
      expect(await stepsSeen(back.id)).toContain('build');
      expect(back.commitSha).toBe(first.commitSha);
      expect(await versionAt(back.urls[0]!)).toBe('old');
    },
    60_000,
  );

  it('rebuilds when its image is removed between build and start', async () => {
    const held = await holdIn('approve', rig.stage(), 'again');
    await removeByHand(nameOf(rig.projectId, held.id));
    await held.letGo(service());
    const answering = setInterval(
      () => void service().post(`/api/deployments/${held.id}/build/respond`, { response: 'approve' }),
      200,
    );
    const over = await ended(service(), held.id).finally(() => clearInterval(answering));
    expect(over.error).toBeNull();
    expect(await versionAt(rig.url)).toBe('again');
  });

  it('restores an active release whose container was removed manually', async () => {
    const version = await versionAt(rig.url);
    for (const { Id } of (await containersOf(rig.docker)).filter(
      ({ Labels, State }) => Labels?.['mooring.project'] === rig.projectId && State === 'running',
    ))
      await rig.docker.client.json({ method: 'DELETE', path: `/containers/${Id}`, query: { force: true } });
    await until('it answers again', async () => (await versionAt(rig.url)) === version, 25_000);
  });

  it('never runs a foreign image under the name of the built one', async () => {
    const held = await holdIn('release', rig.stage(), 'right');
    const name = nameOf(rig.projectId, held.id);
    const built = await rig.docker.client.json<{ Id: string }>({ method: 'GET', path: `/images/${name}/json` });
    const [repo, tag] = name.split(':') as [string, string];
    await post(`/images/${name}/tag`, { repo: 'theirs/aside', tag: 'kept' });
    await post(`/images/${node.name}/tag`, { repo, tag });
    await held.letGo(service());
    const over = await ended(service(), held.id);
    expect(over.error).toBeNull();
    expect(await versionAt(rig.url)).toBe('right');
    const running = async () =>
      (await containersOf(rig.docker)).filter(
        ({ Labels, State }) => Labels?.['mooring.deployment'] === held.id && State === 'running',
      );
    expect((await running()).map(({ ImageID }) => ImageID)).toEqual([built.Id]);
    type Shown = { data: { services: { digest: string }[] } };
    const shown = await json<Shown>(service().get(`/api/deployments/${held.id}`));
    expect(shown.data.services[0]!.digest).toBe(built.Id);
    await json(service().post(`/api/deployments/${held.id}/restart`, {}));
    await until('it is restarted', async () => (await running()).length === 1);
    expect((await running()).map(({ ImageID }) => ImageID)).toEqual([built.Id]);
    await deploy(service(), rig.projectId, dockerApp('next'));
    const back = await started(held.id, 'rollback');
    expect(back.error).toBeNull();
    expect(await versionAt(rig.url)).toBe('right');
    expect(await tagsOf(), 'and what they put there stays').toContain(name);
  }, 60_000);
});
