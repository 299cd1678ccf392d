import { begin, get, json } from './deploy.ts';
import { type Docker, startDocker } from './docker.ts';
import { type Gates, startGates } from './docker-gate.ts';
import { makeImage, node } from './docker-images.ts';
import { onEngine } from './docker-service.ts';
import { containersOf } from './engine-things.ts';
import { type Killable, startKillable } from './killable.ts';
import { atRest } from './leftovers.ts';
import type { Service } from './service.ts';
import { until } from './until.ts';

export type ServiceShown = {
  name: string;
  status: string;
  change: string | null;
  strategy: string | null;
  reason: string | null;
  digest: string | null;
  error: string | null;
  deploymentId: string | null;
};
export type StackShown = {
  id: string;
  status: string;
  decision: string | null;
  active: boolean;
  services: ServiceShown[];
  urls: string[];
  error: { code: string; message: string } | null;
};
export type ServiceContainer = { id: string; deploymentId: string; service: string; state: string };

/** An engine, a service on it that can be killed, and helpers for tests of several services. */
export interface StackStage {
  docker: Docker;
  killable: Killable;
  gates: Gates;
  service(): Service;
  shown(id: string): Promise<StackShown>;
  act(id: string, action: string, body?: object): Promise<Response>;
  /** Runs an action that must succeed; returns the deployment once it has settled. Rejected services are stopped by
   * then. */
  done(id: string, action: string, body?: object): Promise<StackShown>;
  /** Waits until it has ended or needs a decision. */
  settled(id: string): Promise<StackShown>;
  deployed(projectId: string, folder: string, more?: object): Promise<StackShown>;
  /** The containers of a project, or of all projects. */
  containers(projectId?: string): Promise<ServiceContainer[]>;
  /** Ids of the running containers by service. */
  running(projectId: string): Promise<Record<string, string>>;
  close(): Promise<void>;
}

const settledMs = 90_000;

export async function startStackStage(env: Record<string, string> = {}): Promise<StackStage> {
  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const each of closing.toReversed()) await each();
  };
  try {
    const docker = await startDocker();
    closing.push(() => docker.close());
    await makeImage(docker.client, node);
    const gates = await startGates(docker.namespace);
    closing.push(() => gates.stop());
    const killable = await startKillable({ MOORING_START_TIMEOUT: '20', ...onEngine(docker), ...env });
    closing.push(() => killable.now.stop());
    return { docker, killable, gates, close, ...asking(docker, () => killable.now) };
  } catch (error) {
    await close();
    throw error;
  }
}

type Asking = Omit<StackStage, 'docker' | 'killable' | 'gates' | 'close'>;

function asking(docker: Docker, service: () => Service): Asking {
  const shown = async (id: string) => (await get(service(), id)) as unknown as StackShown;
  const act = (id: string, action: string, body: object = {}) =>
    service().post(`/api/deployments/${id}/${action}`, body);
  const settled = (id: string) =>
    until(
      `${id} is over, or waits for a decision`,
      async () => {
        const now = await shown(id);
        return ['queued', 'building', 'deploying'].includes(now.status) ? undefined! : now;
      },
      settledMs,
    );
  const containers = async (projectId?: string): Promise<ServiceContainer[]> =>
    (await containersOf(docker))
      .filter(({ Labels }) => projectId === undefined || Labels?.['mooring.project'] === projectId)
      .map(({ Id, Labels, State }) => ({
        id: Id,
        deploymentId: Labels?.['mooring.deployment'] ?? '',
        service: Labels?.['mooring.service'] ?? '',
        state: State,
      }));
  return {
    service,
    shown,
    act,
    settled,
    containers,
    async done(id, action, body) {
      const { data } = await json<{ data: StackShown }>(act(id, action, body));
      const after = await settled(data.id);
      if (action === 'reject') await atRest(service().dataDir);
      return after;
    },
    deployed: async (projectId, folder, more = {}) => settled(await begin(service(), projectId, folder, more)),
    async running(projectId) {
      const up = (await containers(projectId)).filter(({ state }) => state === 'running');
      return Object.fromEntries(up.map((each) => [each.service, each.id]));
    },
  };
}

export const statuses = ({ services }: StackShown): Record<string, string> =>
  Object.fromEntries(services.map(({ name, status }) => [name, status]));
export const changes = ({ services }: StackShown): Record<string, string | null> =>
  Object.fromEntries(services.map(({ name, change }) => [name, change]));
