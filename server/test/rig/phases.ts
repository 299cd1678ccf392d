import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { lockFile } from '../../src/lib/lock-file.ts';
import { busyApp } from './busy-app.ts';
import { begin, json } from './deploy.ts';
import { type Gate, newGate } from './gate.ts';
import type { GitServer } from './git-server.ts';
import { edgeOf, stepsOf } from './inside.ts';
import type { Service } from './service.ts';
import { until } from './until.ts';
import { openWebSocket } from './web-socket.ts';

/** The steps in which a deployment can be blocked indefinitely by its source or environment. */
export const heldPhases = ['source', 'build', 'approve', 'release', 'start', 'check', 'route', 'retire'] as const;
export type HeldPhase = (typeof heldPhases)[number];

/** The environment of a blocked deployment. The project is a `stagedProject`. */
export type Stage = {
  service: Service;
  projectId: string;
  git: GitServer;
  url: string;
  /** The address of the edge, if it is not on this machine. */
  address?: string;
  /** Releases run as containers: the app, and its gates. On a server, the folder of its records and the process of
   * its edge. */
  containers?: { app: typeof busyApp; newGate: () => Gate; folder?: string; edge?: () => Promise<number> };
};

const gateFor = ({ containers }: Stage): Gate => containers?.newGate() ?? newGate();
const appFor = ({ containers }: Stage): typeof busyApp => containers?.app ?? busyApp;

export interface Held {
  id: string;
  /** Releases it, also under another service that took it over. */
  letGo(service: Service): Promise<void> | void;
  /** Whether it is blocked by now, if that can be observed. */
  isHeld?: () => boolean;
}

/** Starts a deployment of `version` and returns once it is blocked in the middle of `phase`. */
export async function holdIn(phase: HeldPhase, stage: Stage, version: string): Promise<Held> {
  const held = await holders[phase](stage, version);
  const isThere = () =>
    stepsOf(stage.service.dataDir, held.id).some((step) => step.name === phase && step.status === 'running');
  await until(`it is in ${phase}`, () => isThere() && (held.isHeld?.() ?? true), 30_000);
  return held;
}

const holders: Record<HeldPhase, (stage: Stage, version: string) => Promise<Held>> = {
  async source(stage, version) {
    const { service, projectId, git } = stage;
    git.push('staged', appFor(stage)(version), version);
    git.hold();
    const id = (await json<{ data: { id: string } }>(service.post('/api/deployments', { projectId }))).data.id;
    await until('git asks', () => git.waiting() > 0);
    return { id, letGo: () => git.letGo() };
  },
  async build(stage, version) {
    const { service, projectId } = stage;
    const gate = gateFor(stage);
    const app = appFor(stage)(version, { scripts: { build: `echo building; ${gate.wait}; echo built` } });
    return { id: await begin(service, projectId, app), ...holding(gate) };
  },
  async approve(stage, version) {
    const { service, projectId } = stage;
    await change(service, { requireApproval: true });
    const id = await begin(service, projectId, appFor(stage)(version));
    await change(service, { requireApproval: false });
    await until('it asks', () =>
      stepsOf(service.dataDir, id).some(({ name, status }) => name === 'approve' && status === 'running'),
    );
    return { id, letGo: (now) => answered(now, id) };
  },
  async release(stage, version) {
    const { service, projectId } = stage;
    const gate = gateFor(stage);
    await change(service, { releaseCommand: `echo migrating; ${gate.wait}; echo migrated` });
    const id = await begin(service, projectId, appFor(stage)(version));
    await change(service, { releaseCommand: null });
    return { id, ...holding(gate) };
  },
  // Another program holds the lock of the port list.
  async start(stage, version) {
    const { service, projectId } = stage;
    const locks = join(
      service.dataDir,
      stage.containers ? (stage.containers.folder ?? 'containers') : 'processes',
      'locks',
    );
    mkdirSync(locks, { recursive: true });
    const lock = lockFile(join(locks, 'ports.lock'), () => new Error('the ports are in use'));
    return { id: await begin(service, projectId, appFor(stage)(version)), letGo: () => lock.release() };
  },
  async check(stage, version) {
    const { service, projectId } = stage;
    const gate = gateFor(stage);
    const id = await begin(service, projectId, appFor(stage)(version, { listensWhen: gate.at }));
    return { id, ...holding(gate) };
  },
  // The edge hangs: its routing state is unknown.
  async route(stage, version) {
    const { service, projectId } = stage;
    const gate = gateFor(stage);
    const id = await begin(service, projectId, appFor(stage)(version, { listensWhen: gate.at }));
    await until('it is checked', () =>
      stepsOf(service.dataDir, id).some(({ name, status }) => name === 'check' && status === 'running'),
    );
    const edge = (await stage.containers?.edge?.()) ?? edgeOf(service.dataDir);
    process.kill(edge, 'SIGSTOP');
    gate.open();
    return { id, letGo: () => void process.kill(edge, 'SIGCONT') };
  },
  // A client is still connected to the previous release.
  async retire(stage, version) {
    const { service, projectId, url, address } = stage;
    const visitor = await openWebSocket(url, address);
    return { id: await begin(service, projectId, appFor(stage)(version)), letGo: () => visitor.close() };
  },
};

const holding = (gate: Gate): Omit<Held, 'id'> => ({
  letGo: () => gate.open(),
  ...(gate.isReached && { isHeld: gate.isReached }),
});

const projectName = 'staged';

/** A project that can be blocked anywhere: it uses our git server, and its settings change for single deployments. */
export async function stagedProject(service: Service, git: GitServer): Promise<string> {
  return (await change(service, { source: { type: 'git', url: git.url('staged'), branch: 'main' } })).project_id;
}

/** Deployments keep the project's settings from their creation. */
const change = (service: Service, fields: object) =>
  json<{ project_id: string }>(service.post('/api/projects/ensure', { name: projectName, ...fields }));

async function answered(service: Service, id: string): Promise<void> {
  await json(service.post(`/api/deployments/${id}/build/respond`, { response: 'approve' }));
}
