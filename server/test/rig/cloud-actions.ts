import { type CloudThings, site, twoServices } from './cloud-things.ts';
import { ended, json } from './deploy.ts';
import { dockerApp } from './docker-app.ts';
import { atRest } from './two-instances.ts';
import { until } from './until.ts';
import { visit } from './visitors.ts';
import type { Asked } from './whole-answer.ts';

/** A request to the home instance that involves the cloud. */
export interface Prepared {
  projectId: string;
  asked: Asked;
  /** The resulting request to the cloud; home retries it up to `tries` times. */
  request: RegExp;
  tries?: number;
  /** How often the cloud has executed it. */
  done(): Promise<number>;
  /** The statuses for a repeated request; without them the action would run again. */
  whenDone?: number[];
  /** The project as home shows it in the end; undefined if it is gone. */
  shown?: { deployTarget: string; cloud: string | null } | undefined;
  /** Waits until everything in progress has ended. */
  settle?(): Promise<unknown>;
}

export type Action = (things: CloudThings) => Promise<Prepared>;

const act = (id: string, action: string, body: object = {}): Pick<Prepared, 'asked' | 'request'> => ({
  asked: { method: 'POST', path: `/api/deployments/${id}/${action}`, body },
  request: new RegExp(`^POST /api/deployments/${id}/${action}$`),
});
const taking = (projectId: string) => ({ request: new RegExp(`^PUT /api/cloud/projects/${projectId}$`), tries: 2 });

/** Counts the matching deployments since now. */
async function counting({ two }: CloudThings, projectId: string, counts: (id: string | null) => boolean) {
  const count = async () =>
    (await two.there(projectId)).filter((each) => counts(each.rollbackOf ?? each.redeployOf)).length;
  const before = await count();
  return async () => (await count()) - before;
}

/** A blocked deployment in the cloud, and its release. */
async function cancelling(things: CloudThings, folder: string, isHeld: () => boolean, letGo: () => void) {
  const { two, app } = things;
  const serving = await things.serving(app);
  two.git.push('app', folder, 'to be cancelled');
  const { id } = await two.promote(app, { autoStart: true });
  await until('it is held', isHeld, 30_000);
  return {
    projectId: app,
    ...act(id, 'cancel'),
    done: async () => Number((await two.one(two.cloud, id)).status === 'cancelled'),
    whenDone: [400],
    async settle() {
      letGo();
      const { status } = await ended(two.cloud.now, id);
      if (status !== 'cancelled') throw new Error(`it was cancelled, and is ${status}`);
      const now = await things.serving(app);
      if (now.id !== serving.id) throw new Error(`${now.id} serves, in place of ${serving.id}`);
    },
  };
}

const deciding =
  (decision: 'keep' | 'reject', status: string): Action =>
  async (things) => {
    const { two, stack: projectId } = things;
    two.git.push('stack', twoServices(things.name('half'), true), 'half of it is broken');
    const { id } = await two.promote(projectId, { autoStart: true });
    await until('it waits for a decision', async () => (await two.one(two.cloud, id)).decision === 'pending', 60_000);
    return {
      projectId,
      ...act(id, decision),
      done: async () => Number((await two.one(two.cloud, id)).decision !== 'pending'),
      whenDone: [400],
      settle: () => until(`it is ${status}`, async () => (await two.one(two.cloud, id)).status === status, 60_000),
    };
  };

export const cloudActions: Record<string, Action> = {
  async promote(things) {
    const { two } = things;
    const projectId = await two.project(things.name('promoted'), site('promoted'));
    things.projects.add(projectId);
    const body = { projectId, deployTarget: 'cloud', autoStart: false };
    return {
      projectId,
      asked: { method: 'POST', path: '/api/deployments/build/access', body },
      ...taking(projectId),
      done: async () => (await two.there(projectId)).length,
      // The same promotion again.
      whenDone: [200],
    };
  },
  async deploy(things) {
    const { two, site: projectId } = things;
    return {
      projectId,
      asked: { method: 'POST', path: '/api/deployments', body: { projectId } },
      ...taking(projectId),
      done: await counting(things, projectId, (id) => id === null),
      whenDone: [202],
      settle: () => atRest(two, projectId),
    };
  },
  async redeploy(things) {
    const { two, app: projectId } = things;
    const { id } = await things.serving(projectId);
    const done = await counting(things, projectId, (of) => of === id);
    return { projectId, ...act(id, 'redeploy'), done, settle: () => atRest(two, projectId) };
  },
  async 'roll back'(things) {
    const { two, app: projectId } = things;
    const { id } = await things.before(projectId);
    const done = await counting(things, projectId, (of) => of === id);
    const settle = async () => {
      await atRest(two, projectId);
      const now = await things.serving(projectId);
      if (now.rollbackOf !== id) throw new Error(`${now.id} serves, and is no rollback to ${id}`);
    };
    return { projectId, ...act(id, 'rollback'), done, settle };
  },
  async 'cancel a fetch'(things) {
    const { git } = things.two;
    git.hold();
    return cancelling(
      things,
      dockerApp('vx'),
      () => git.waiting() > 0,
      () => git.letGo(),
    );
  },
  async 'cancel a build'(things) {
    const gate = things.two.gates.newGate();
    const folder = dockerApp('vx', { scripts: { build: gate.wait } });
    return cancelling(
      things,
      folder,
      () => gate.isReached!(),
      () => gate.open(),
    );
  },
  async 'cancel a check'(things) {
    const gate = things.two.gates.newGate();
    return cancelling(
      things,
      dockerApp('vx', { listensWhen: gate.at }),
      () => gate.isReached!(),
      () => gate.open(),
    );
  },
  async pin(things) {
    const { two, app: projectId } = things;
    const { id, pinned } = await things.serving(projectId);
    const done = async () => Number((await two.one(two.cloud, id)).pinned !== pinned);
    return { projectId, ...act(id, 'pin', { pinned: !pinned }), done, whenDone: [200] };
  },
  async restart(things) {
    const { app: projectId, appUrl } = things;
    const { id } = await things.serving(projectId);
    const release = async () => (await visit(appUrl, '/', { agent: false })).release;
    const before = await release();
    return { projectId, ...act(id, 'restart'), done: async () => Number((await release()) !== before) };
  },
  async 'start a build'(things) {
    const { two, site: projectId } = things;
    const { id } = await two.promote(projectId);
    const done = async () => Number((await two.one(two.cloud, id)).status !== 'queued');
    return { projectId, ...act(id, 'build'), done, whenDone: [400], settle: () => ended(two.cloud.now, id) };
  },
  async respond(things) {
    const { two, asked: projectId } = things;
    const { id } = await two.promote(projectId, { autoStart: true });
    type Build = { data: { prompt: object | null } };
    const isAsking = async () =>
      (await json<Build>(two.cloud.now.get(`/api/deployments/${id}/build`))).data.prompt !== null;
    await until('it asks', isAsking);
    return {
      projectId,
      ...act(id, 'build/respond', { response: 'approve' }),
      done: async () => Number(!(await isAsking())),
      whenDone: [400],
      settle: () => ended(two.cloud.now, id),
    };
  },
  keep: deciding('keep', 'ready'),
  reject: deciding('reject', 'rejected'),
  async delete(things) {
    const { two, site: projectId } = things;
    const { id } = await two.promote(projectId);
    const path = `/api/deployments/${id}`;
    return {
      projectId,
      asked: { method: 'DELETE', path },
      request: new RegExp(`^DELETE ${path}$`),
      done: async () => Number((await two.cloud.now.get(path)).status === 404),
      whenDone: [404],
    };
  },
  async 'clear the cloud'(things) {
    const { two } = things;
    const projectId = await two.project(things.name('cleared'), site('cleared'));
    await two.promote(projectId);
    await json(two.home.now.post(`/api/projects/${projectId}/bring-home`, { deploy: false }));
    const path = `/api/projects/${projectId}`;
    return {
      projectId,
      asked: { method: 'DELETE', path: `${path}/cloud` },
      request: new RegExp(`^DELETE ${path}$`),
      done: async () => Number((await two.cloud.now.get(path)).status === 404),
      // Home may or may not know by now that it was done.
      whenDone: [200, 400],
      shown: { deployTarget: 'local', cloud: null },
    };
  },
  async 'delete the project'(things) {
    const { two } = things;
    const projectId = await two.project(things.name('gone'), site('gone'));
    await two.promote(projectId);
    const path = `/api/projects/${projectId}`;
    return {
      projectId,
      asked: { method: 'DELETE', path },
      request: new RegExp(`^DELETE ${path}(\\?|$)`),
      done: async () => Number((await two.cloud.now.get(path)).status === 404),
      whenDone: [200, 404],
      shown: undefined,
    };
  },
};
