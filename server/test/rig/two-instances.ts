import { ownerToken } from './app.ts';
import { type CloudLine, startCloudLine } from './cloud-line.ts';
import { type DeploymentJson, ensureProject, json } from './deploy.ts';
import { type Docker, startDocker } from './docker.ts';
import { type Gates, startGates } from './docker-gate.ts';
import { makeImage, node } from './docker-images.ts';
import { onEngine } from './docker-service.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { type Killable, startKillable } from './killable.ts';
import { until } from './until.ts';
import { type Asked, askWhole, type WholeAnswer } from './whole-answer.ts';

export type CloudDeployment = DeploymentJson & {
  redeployOf: string | null;
  pinned: boolean;
  decision: string | null;
  organizationId: string;
};

/** A cloud on an engine, a home instance without one, and the connection between them. Both can be killed. */
export interface TwoInstances {
  docker: Docker;
  gates: Gates;
  git: GitServer;
  cloud: Killable;
  home: Killable;
  line: CloudLine;
  /** Links home to the cloud through the proxy. */
  link(token?: string): Promise<WholeAnswer>;
  atHome(asked: Asked): Promise<WholeAnswer>;
  /** Creates a project at home with a repository of the same name. */
  project(name: string, folder: string, fields?: object): Promise<string>;
  /** Promotes it to the cloud and returns the deployment; `autoStart` is off by default. */
  promote(projectId: string, more?: object): Promise<CloudDeployment>;
  /** The cloud's deployments of a project, and home's view of it. */
  there(projectId: string): Promise<CloudDeployment[]>;
  here(projectId: string): Promise<CloudDeployment[]>;
  one(side: Killable, id: string): Promise<CloudDeployment>;
  close(): Promise<void>;
}

export const cloudSettings = {
  MOORING_MODE: 'cloud',
  MOORING_ALLOW_PRIVATE_TARGETS: 'all',
  MOORING_START_TIMEOUT: '20',
};

type Settings = { home?: Record<string, string>; cloud?: Record<string, string> };

/** With additional settings for each side. */
export async function startTwoInstances(settings: Settings = {}): Promise<TwoInstances> {
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
    const git = await startGitServer();
    closing.push(() => git.stop());
    const cloud = await startKillable({ ...cloudSettings, ...onEngine(docker), ...settings.cloud });
    closing.push(() => cloud.now.stop());
    const line = await startCloudLine(Number(new URL(cloud.now.url).port));
    closing.push(() => line.stop());
    const home = await startKillable(settings.home);
    closing.push(() => home.now.stop());
    return { docker, gates, git, cloud, home, line, close, ...asking({ git, cloud, home, line }) };
  } catch (error) {
    await close();
    throw error;
  }
}

type Parts = Pick<TwoInstances, 'git' | 'cloud' | 'home' | 'line'>;
type Asking = Pick<TwoInstances, 'link' | 'atHome' | 'project' | 'promote' | 'there' | 'here' | 'one'>;

function asking({ git, cloud, home, line }: Parts): Asking {
  const atHome = (asked: Asked) => askWhole(home.now.url, asked);
  const list = async (side: Killable, projectId: string) =>
    (await json<{ data: CloudDeployment[] }>(side.now.get(`/api/deployments?limit=100&projectId=${projectId}`))).data;
  return {
    atHome,
    link: (token = ownerToken) =>
      atHome({ method: 'POST', path: '/api/cloud/link', body: { url: `http://127.0.0.1:${line.port}`, token } }),
    project(name, folder, fields = {}) {
      git.push(name, folder, name);
      return ensureProject(home.now, name, { source: { type: 'git', url: git.url(name), branch: 'main' }, ...fields });
    },
    async promote(projectId, more = {}) {
      const body = { projectId, deployTarget: 'cloud', autoStart: false, ...more };
      const made = await json<{ deployment_id: string }>(home.now.post('/api/deployments/build/access', body));
      return (await json<{ data: CloudDeployment }>(cloud.now.get(`/api/deployments/${made.deployment_id}`))).data;
    },
    there: (projectId) => list(cloud, projectId),
    here: (projectId) => list(home, projectId),
    one: async (side, id) => (await json<{ data: CloudDeployment }>(side.now.get(`/api/deployments/${id}`))).data,
  };
}

const over = ['ready', 'failed', 'cancelled', 'rejected'];

/** Waits until no deployment of the project is in progress in the cloud. */
export const atRest = (two: TwoInstances, projectId: string): Promise<CloudDeployment[]> =>
  until(
    `nothing of ${projectId} is under way`,
    async () => {
      const all = await two.there(projectId);
      return all.every(({ status }) => over.includes(status)) ? all : undefined!;
    },
    60_000,
  );
