import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineClient } from '../../src/drivers/runtime/docker/engine/client.ts';
import type { Docker } from './docker.ts';
import { deploymentsIn, stepsOf } from './inside.ts';
import { differs, gapsIn } from './leftovers.ts';
import { endProcesses, processes } from './processes.ts';

type Labels = Record<string, string> | null;
export type ContainerThing = {
  Id: string;
  Names: string[];
  Image: string;
  ImageID: string;
  State: string;
  Labels: Labels;
  Ports: { PublicPort: number }[];
};
export type ImageThing = { Id: string; RepoTags: string[] | null; Labels: Labels };
export type NetworkThing = { Id: string; Name: string; Labels: Labels };
export type VolumeThing = { Name: string; Labels: Labels };

const list = <T>(client: EngineClient, path: string, query = {}) => client.json<T>({ method: 'GET', path, query });

export const containersOf = ({ client }: Docker) => list<ContainerThing[]>(client, '/containers/json', { all: true });
export const imagesOf = ({ client }: Docker) => list<ImageThing[]>(client, '/images/json');
export const networksOf = ({ client }: Docker) => list<NetworkThing[]>(client, '/networks');
export const volumesOf = async ({ client }: Docker) =>
  (await list<{ Volumes: VolumeThing[] | null }>(client, '/volumes')).Volumes ?? [];

const nameTags = ({ RepoTags }: ImageThing) => (RepoTags ?? []).filter((tag) => !tag.startsWith('<none>'));

/** The running build steps: BuildKit has a separate control group for them. */
const buildSteps = ({ namespace }: Docker): number[] =>
  processes().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(`/${namespace.name}/buildkit/`);
    } catch {
      // It ended in the meantime.
      return false;
    }
  });

/** A killed engine has lost track of its build steps, which keep running: only the machine can end them. */
export const endForgottenSteps = (docker: Docker): void => endProcesses(buildSteps(docker));

const isEdge = ({ Labels }: { Labels: Labels }) => Labels?.['mooring.role'] === 'edge';

/** Unexpected and missing objects in the engine; empty when all is well. For an idle service with only apps on its
 * own engine. `records` is the folder of the service's engine records. */
export async function engineLeftovers(docker: Docker, dataDir: string, records = 'containers'): Promise<string[]> {
  const deployments = deploymentsIn(dataDir);
  const kept = deployments.filter(({ artifact_kept }) => artifact_kept === 1);
  const hasStarted = ({ id }: { id: string }) =>
    stepsOf(dataDir, id).some((step) => step.name === 'start' && step.attempt > 0);
  const started = kept.filter(hasStarted);
  const containers = (await containersOf(docker)).filter((each) => !isEdge(each));
  const deploymentOf = ({ Labels, Names }: ContainerThing) => Labels?.['mooring.deployment'] ?? Names.join();
  const ours = (await imagesOf(docker)).filter(({ Labels }) => Labels?.['mooring.instance']);
  const networks = (await networksOf(docker)).filter(({ Labels }) => Labels?.['mooring.instance']);
  const folders = (name: string) => (existsSync(join(dataDir, name)) ? readdirSync(join(dataDir, name)) : []);
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id);
  return [
    ...differs('containers', containers.map(deploymentOf), ids(started)),
    ...differs(
      'running',
      containers.filter(({ State }) => State !== 'exited').map(deploymentOf),
      ids(deployments.filter(({ active }) => active)),
    ),
    ...differs(
      'images',
      ours.flatMap((image) => (nameTags(image).length ? nameTags(image) : [image.Id])),
      [...new Set(kept.map(({ project_id, artifact_id }) => `mooring/${project_id.toLowerCase()}:${artifact_id}`))],
    ),
    ...differs(
      'networks',
      networks.map(({ Labels }) => Labels!['mooring.project']!),
      [...new Set(started.map(({ project_id }) => project_id))],
    ),
    ...differs(
      'volumes',
      (await volumesOf(docker)).filter((each) => !isEdge(each)).map(({ Name }) => Name),
      [],
    ),
    ...differs('steps of builds', buildSteps(docker).map(String), []),
    ...differs(
      'records',
      folders(`${records}/instances`).map((name) => name.split('-')[0]!),
      ids(started),
    ),
    ...differs('folders', folders('releases'), []),
    ...differs('unfinished', folders('tmp'), []),
    ...gapsIn(dataDir),
  ];
}
