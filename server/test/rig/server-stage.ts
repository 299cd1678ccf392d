import { begin, ended, ensureProject, json } from './deploy.ts';
import { dockerApp } from './docker-app.ts';
import { startGates } from './docker-gate.ts';
import { makeImage, node } from './docker-images.ts';
import type { DockerStage } from './docker-stage.ts';
import { containersOf, engineLeftovers } from './engine-things.ts';
import { startGitServer } from './git-server.ts';
import { readInside } from './inside.ts';
import { startKillable } from './killable.ts';
import { differs } from './leftovers.ts';
import { type ManagedServer, startManagedServer } from './managed-server.ts';
import { stagedProject } from './phases.ts';

/** The same on another machine, over SSH: `docker` is the engine there, which also runs the edge. */
export interface ServerStage extends DockerStage {
  server: ManagedServer;
  serverId: string;
  /** The edge on the server. */
  edge(): Promise<EdgeThere>;
}

export type EdgeThere = {
  /** The id of its container. */
  id: string;
  state: string;
  /** The pid of the process that accepts requests. */
  pid: number;
};

const edgePort = 8080;

type Options = {
  /** Additional settings of the service. */
  env?: Record<string, string>;
  /** Additional arguments of the engine there. */
  engine?: string[];
};

export async function startServerStage({ env = {}, engine = [] }: Options = {}): Promise<ServerStage> {
  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const each of closing.toReversed()) await each();
  };
  try {
    const server = await startManagedServer('elsewhere', engine);
    const { docker, address } = server;
    closing.push(() => server.close());
    await makeImage(docker.client, node);
    const [gates, git] = await Promise.all([startGates(docker.namespace), startGitServer()]);
    closing.push(
      () => gates.stop(),
      () => git.stop(),
    );
    const killable = await startKillable({ MOORING_START_TIMEOUT: '20', MOORING_ENGINE_TIMEOUT: '20', ...env });
    closing.push(() => killable.now.stop());
    const body = { ...server.body, edgePort, edgeTlsPort: 8443, baseDomain: 'apps.example.com' };
    const added = await json<{ data: { id: string } }>(killable.now.post('/api/servers', body));
    const serverId = added.data.id;
    const projectId = await stagedProject(killable.now, git);
    await ensureProject(killable.now, 'staged', { serverId });
    // The first one sends the edge, too.
    const first = await ended(killable.now, await begin(killable.now, projectId, dockerApp('v0')), 120_000);
    if (first.status !== 'ready') throw new Error(JSON.stringify(first));
    const url = first.urls[0]!;
    const folder = `servers/${serverId}`;
    const edge = () => edgeOn(server);
    const containers = { app: dockerApp, newGate: () => gates.newGate(), folder, edge: async () => (await edge()).pid };
    const stage = () => ({ service: killable.now, projectId, git, url, address, containers });
    const leftovers = async () => [
      ...differs('edges', await edgesOn(server), [`/mooring-edge-${instanceOf(killable.now.dataDir)}`]),
      ...(await engineLeftovers(docker, killable.now.dataDir, folder)),
    ];
    const own = { server, serverId, edge };
    return { ...own, docker, killable, gates, git, projectId, first, url, address, stage, leftovers, close };
  } catch (error) {
    await close();
    throw error;
  }
}

const instanceOf = (dataDir: string): string =>
  readInside(dataDir, (database) => (database.prepare('select id from instance').get() as { id: string }).id);

const edgeContainers = async ({ docker }: ManagedServer) =>
  (await containersOf(docker)).filter(({ Labels }) => Labels?.['mooring.role'] === 'edge');

const edgesOn = async (server: ManagedServer): Promise<string[]> =>
  (await edgeContainers(server)).flatMap(({ Names }) => Names);

async function edgeOn(server: ManagedServer): Promise<EdgeThere> {
  const [found, ...more] = await edgeContainers(server);
  if (!found || more.length) throw new Error(`there is not one edge but ${found ? more.length + 1 : 'none'}`);
  const path = `/containers/${found.Id}/top`;
  const { Titles, Processes } = await server.docker.client.json<{ Titles: string[]; Processes: string[][] }>({
    method: 'GET',
    path,
  });
  const [pid, command] = [Titles.indexOf('PID'), Titles.indexOf('CMD')];
  const process = Processes.find((each) => /\/edge-\w+\.cjs/.test(each[command]!));
  if (!process) throw new Error(`no process of it takes requests: ${JSON.stringify(Processes)}`);
  return { id: found.Id, state: found.State, pid: Number(process[pid]) };
}
