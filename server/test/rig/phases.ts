import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { lockFile } from '../../src/lib/lock-file.ts';
import { busyApp } from './busy-app.ts';
import { begin, json } from './deploy.ts';
import { newGate } from './gate.ts';
import type { GitServer } from './git-server.ts';
import { edgeOf, stepsOf } from './inside.ts';
import type { Service } from './service.ts';
import { until } from './until.ts';
import { openWebSocket } from './web-socket.ts';

/** The steps in which a deployment can be held by what it is given or by what it meets, for as long as one likes. */
export const heldPhases = ['source', 'build', 'approve', 'release', 'start', 'check', 'route', 'retire'] as const;
export type HeldPhase = (typeof heldPhases)[number];

/** Where a deployment is held. The project is a `stagedProject`. */
export type Stage = { service: Service; projectId: string; git: GitServer; url: string };

export interface Held {
  id: string;
  /** Lets it go on, also under another service that took it over. */
  letGo(service: Service): Promise<void> | void;
}

/** Begins a deployment of `version` and returns when it is in the middle of `phase`, and stays there. */
export async function holdIn(phase: HeldPhase, stage: Stage, version: string): Promise<Held> {
  const held = await holders[phase](stage, version);
  const isThere = () =>
    stepsOf(stage.service.dataDir, held.id).some((step) => step.name === phase && step.status === 'running');
  await until(`it is in ${phase}`, isThere, 30_000);
  return held;
}

const holders: Record<HeldPhase, (stage: Stage, version: string) => Promise<Held>> = {
  async source({ service, projectId, git }, version) {
    git.push('staged', busyApp(version), version);
    git.hold();
    const id = (await json<{ data: { id: string } }>(service.post('/api/deployments', { projectId }))).data.id;
    await until('git asks', () => git.waiting() > 0);
    return { id, letGo: () => git.letGo() };
  },
  async build({ service, projectId }, version) {
    const gate = newGate();
    const app = busyApp(version, { scripts: { build: `echo building; ${gate.wait}; echo built` } });
    return { id: await begin(service, projectId, app), letGo: () => gate.open() };
  },
  async approve({ service, projectId }, version) {
    await change(service, { requireApproval: true });
    const id = await begin(service, projectId, busyApp(version));
    await change(service, { requireApproval: false });
    await until('it asks', () =>
      stepsOf(service.dataDir, id).some(({ name, status }) => name === 'approve' && status === 'running'),
    );
    return { id, letGo: (now) => answered(now, id) };
  },
  async release({ service, projectId }, version) {
    const gate = newGate();
    await change(service, { releaseCommand: `echo migrating; ${gate.wait}; echo migrated` });
    const id = await begin(service, projectId, busyApp(version));
    await change(service, { releaseCommand: null });
    return { id, letGo: () => gate.open() };
  },
  // Another program has the list of ports: the start waits for it.
  async start({ service, projectId }, version) {
    const locks = join(service.dataDir, 'processes/locks');
    mkdirSync(locks, { recursive: true });
    const lock = lockFile(join(locks, 'ports.lock'), () => new Error('the ports are in use'));
    return { id: await begin(service, projectId, busyApp(version)), letGo: () => lock.release() };
  },
  async check({ service, projectId }, version) {
    const gate = newGate();
    const id = await begin(service, projectId, busyApp(version, { listensWhen: gate.file }));
    return { id, letGo: () => gate.open() };
  },
  // The edge hangs: nobody knows whether it has switched.
  async route({ service, projectId }, version) {
    const gate = newGate();
    const id = await begin(service, projectId, busyApp(version, { listensWhen: gate.file }));
    await until('it is checked', () =>
      stepsOf(service.dataDir, id).some(({ name, status }) => name === 'check' && status === 'running'),
    );
    const edge = edgeOf(service.dataDir);
    process.kill(edge, 'SIGSTOP');
    gate.open();
    return { id, letGo: () => void process.kill(edge, 'SIGCONT') };
  },
  // Somebody is still connected to the release before.
  async retire({ service, projectId, url }, version) {
    const visitor = await openWebSocket(url);
    return { id: await begin(service, projectId, busyApp(version)), letGo: () => visitor.close() };
  },
};

const projectName = 'staged';

/** A project that can be held anywhere: its git server is ours, and its settings are changed for single deployments. */
export async function stagedProject(service: Service, git: GitServer): Promise<string> {
  return (await change(service, { source: { type: 'git', url: git.url('staged'), branch: 'main' } })).project_id;
}

/** Deployments keep the settings that the project had when they were made. */
const change = (service: Service, fields: object) =>
  json<{ project_id: string }>(service.post('/api/projects/ensure', { name: projectName, ...fields }));

async function answered(service: Service, id: string): Promise<void> {
  await json(service.post(`/api/deployments/${id}/build/respond`, { response: 'approve' }));
}
