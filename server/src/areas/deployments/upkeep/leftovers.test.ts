import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../../../test/rig/app.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { thingsOf } from '../../../../test/rig/things.ts';
import type { DeploymentTable } from '../../../db/tables.ts';
import type { Images } from '../../../drivers/images/images.ts';
import { createMemoryRuntime } from '../../../drivers/runtime/memory.ts';
import { createLog } from '../../../lib/log.ts';
import { removeImages, removeNamelessImages } from './leftovers.ts';
import type { Parts } from '../model/parts.ts';
import { newServiceState, type ServiceImage } from '../model/stack.ts';
import { RoundInstances } from './round-instances.ts';

describe.each(databaseKinds)('unnamed images on %s', (kind) => {
  let app: TestApp;
  let project: string;
  beforeEach(async () => {
    app = await startApp(kind);
    project = await newProject();
  });
  afterEach(() => app.close());
  const { newProject, newDeployment } = thingsOf(() => app);

  const digestOf = (name: string) => `sha256:${Buffer.from(name).toString('hex').padEnd(64, '0')}`;
  const imageOf = (name: string, isOwn = true): ServiceImage => ({
    image: name,
    imageId: digestOf(name),
    isOwn,
    bytes: 1,
    ports: [],
    volumes: [],
    hasHealthcheck: false,
    port: null,
  });

  const over = { status: 'ready' as const, artifactKept: 0, finishedAt: 1 };
  async function stack(images: ServiceImage[], columns: Partial<DeploymentTable>): Promise<void> {
    const id = await newDeployment(project);
    const services = JSON.stringify(images.map((image, i) => ({ ...newServiceState(`s${i}`), image, runsOf: id })));
    await app.database.db
      .updateTable('deployments')
      .set({ stack: 'sealed', services, ...columns })
      .where('id', '=', id)
      .execute();
  }

  /** Returns the names of the removed images. */
  async function removedOf(...names: string[]): Promise<string[]> {
    const removed: string[] = [];
    const images: Pick<Images, 'nameless' | 'removeNameless'> = {
      nameless: async () => names.map(digestOf),
      removeNameless: async (id) => {
        removed.push(names.find((name) => digestOf(name) === id)!);
        return 'removed';
      },
    };
    const parts = { containers: { images } } as unknown as Parts;
    const log = createLog('silent', 'json');
    const around = new RoundInstances(createMemoryRuntime());
    await removeNamelessImages({ db: app.database.db, parts, log, owner: 'test', around });
    return removed;
  }

  it('are removed with the last deployment that needs them', async () => {
    await stack([imageOf('old web'), imageOf('old api'), imageOf('pulled', false)], over);
    await stack([imageOf('of a failure')], { ...over, status: 'failed' });
    await stack([imageOf('decided against')], { ...over, status: 'rejected' });
    const names = ['old web', 'old api', 'pulled', 'of a failure', 'decided against', 'made by others from ours'];
    expect(await removedOf(...names)).toEqual(['old web', 'old api', 'of a failure', 'decided against']);
    expect(await removedOf()).toEqual([]);
  });

  it('stay while a deployment runs from them, may roll back to them or waits for a decision', async () => {
    const names = ['serves', 'taken over', 'in the window', 'pinned', 'half', 'being built'];
    await stack([imageOf('taken over'), imageOf('over')], over);
    await stack([imageOf('serves'), imageOf('taken over')], { ...over, active: 1 });
    await stack([imageOf('in the window')], { ...over, artifactKept: 1 });
    await stack([imageOf('pinned')], { ...over, artifactKept: 1, pinned: 1 });
    await stack([imageOf('being built')], { status: 'building', environment: 'preview' });
    await stack([imageOf('half')], { status: 'partial_failure', decision: 'pending' });
    expect(await removedOf(...names, 'over')).toEqual(['over']);
  });

  it('with a name stay when their project has moved to another server', async () => {
    await stack([imageOf('moved')], { ...over, active: 1 });
    const removed: string[] = [];
    const owner = { deploymentId: 'dep_gone', service: 'web' };
    const images = {
      list: async () => ['moved', 'unused'].map((image) => ({ image, imageId: digestOf(image), owner })),
      remove: async (image: string) => (removed.push(image), 'removed'),
    };
    const parts = { containers: { images }, server: { id: 'srv_before', name: 'before' } } as unknown as Parts;
    const around = new RoundInstances(createMemoryRuntime());
    const log = createLog('silent', 'json');
    await removeImages({ db: app.database.db, parts, log, owner: 'test', around });
    expect(removed).toEqual(['unused']);
  });

  it('of apps are removed unless their artifact is kept', async () => {
    for (const [name, kept] of [['gone', 0] as const, ['kept', 1] as const]) {
      const change = { ...over, artifactKept: kept, imageDigest: digestOf(name) };
      const id = await newDeployment(project);
      await app.database.db.updateTable('deployments').set(change).where('id', '=', id).execute();
    }
    expect(await removedOf('gone', 'kept')).toEqual(['gone']);
  });
});
