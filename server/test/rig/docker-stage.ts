import { deploy, type DeploymentJson } from './deploy.ts';
import { dockerApp } from './docker-app.ts';
import { type Docker, startDocker } from './docker.ts';
import { type Gates, startGates } from './docker-gate.ts';
import { makeImage, node } from './docker-images.ts';
import { onEngine } from './docker-service.ts';
import { engineLeftovers } from './engine-things.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { type Killable, startKillable } from './killable.ts';
import { type Stage, stagedProject } from './phases.ts';

/** An engine, a service on it that can be killed, and a project whose deployments can be blocked in any phase. */
export interface DockerStage {
  docker: Docker;
  killable: Killable;
  gates: Gates;
  git: GitServer;
  projectId: string;
  /** The deployment of `v0`, which serves. */
  first: DeploymentJson;
  url: string;
  /** The address of the edge. */
  address: string;
  stage(): Stage;
  /** See `engineLeftovers`. */
  leftovers(): Promise<string[]>;
  close(): Promise<void>;
}

type Options = {
  /** Additional settings of the service. */
  env?: Record<string, string>;
  /** The size of the engine's own disk, if it has one. */
  diskBytes?: number;
  dataDir?: string;
};

export async function startDockerStage({ env = {}, diskBytes = 0, dataDir }: Options = {}): Promise<DockerStage> {
  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const each of closing.toReversed()) await each();
  };
  try {
    const docker = await startDocker([], diskBytes);
    closing.push(() => docker.close());
    await makeImage(docker.client, node);
    const [gates, git] = await Promise.all([startGates(docker.namespace), startGitServer()]);
    closing.push(
      () => gates.stop(),
      () => git.stop(),
    );
    const killable = await startKillable({ MOORING_START_TIMEOUT: '20', ...onEngine(docker), ...env }, dataDir);
    closing.push(() => killable.now.stop());
    const projectId = await stagedProject(killable.now, git);
    const first = await deploy(killable.now, projectId, dockerApp('v0'));
    if (first.status !== 'ready') throw new Error(JSON.stringify(first.error));
    const url = first.urls[0]!;
    const containers = { app: dockerApp, newGate: () => gates.newGate() };
    const stage = () => ({ service: killable.now, projectId, git, url, containers });
    const leftovers = () => engineLeftovers(docker, killable.now.dataDir);
    return { docker, killable, gates, git, projectId, first, url, address: '127.0.0.1', stage, leftovers, close };
  } catch (error) {
    await close();
    throw error;
  }
}
