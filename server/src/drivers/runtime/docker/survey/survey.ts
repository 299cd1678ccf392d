import { limitConcurrency } from '../../../../lib/concurrency.ts';
import type { EngineClient } from '../engine/client.ts';
import { EngineAwayError } from '../../errors.ts';
import { EngineError, undefinedIfGone } from '../engine/errors.ts';
import { writtenFiles } from '../written-files.ts';
import {
  ChangeList,
  type ConfigFacts,
  ContainerAnswer,
  type ContainerFacts,
  ContainerList,
  SurveyedImage,
  type ImageFacts,
  ImageList,
  EngineInfoAnswer,
  type NetworkFacts,
  NetworkList,
  type VolumeFacts,
  VolumeList,
} from './answers.ts';
import { ConfigList, NodeList, ServiceList, TaskList } from './swarm-answers.ts';
import { type SwarmSurvey, withSwarmServices } from './swarm-services.ts';
import { type AnswerAllowance, surveyRequest, NotAnEngineError } from './bounded-answer.ts';

// Keeps the connection busy; each one holds an open channel to the engine.
const atOnce = 8;
const mostContainers = 2000;
/** For the written files of all containers. */
const patienceMs = 10_000;
const mostBytes = 128 * 1024 * 1024;

/** Contents of an engine, as it reports them. */
export interface EngineSurvey {
  engine: {
    version: string;
    apiVersion: string;
    os: string;
    arch: string;
    swarm: boolean;
    rootless: boolean;
    cgroup: string;
  };
  /** Folder of the engine's data. */
  dataFolder: string;
  /** A service of a Swarm counts as one container. */
  containers: ContainerFacts[];
  /** Number of containers beyond the limit. */
  leftOut: number;
  images: ImageFacts[];
  volumes: VolumeFacts[];
  networks: NetworkFacts[];
}

/** Lists everything that an engine has. Read-only. */
export async function surveyEngine(client: EngineClient, signal: AbortSignal): Promise<EngineSurvey> {
  const allowance: AnswerAllowance = { bytes: mostBytes };
  const apiVersion = await spokenVersion(client);
  const get = { signal };
  const [info, listed, images, { Volumes: volumes }, networks] = await Promise.all([
    surveyRequest(client, EngineInfoAnswer, { path: '/info', ...get }, allowance),
    surveyRequest(client, ContainerList, { path: '/containers/json', query: { all: true }, ...get }, allowance),
    surveyRequest(client, ImageList, { path: '/images/json', ...get }, allowance),
    surveyRequest(client, VolumeList, { path: '/volumes', ...get }, allowance),
    surveyRequest(client, NetworkList, { path: '/networks', ...get }, allowance),
  ]);
  const ids = listed.toSorted(byState).map(({ Id }) => Id);
  const inTurn = limitConcurrency(atOnce);
  const inspected = await Promise.all(
    ids.slice(0, mostContainers).map((id) => inTurn(() => inspect(client, id, signal, allowance))),
  );
  // Others were removed since they were listed.
  const containers = inspected.filter((each) => each !== undefined);
  const swarm = info.Swarm?.ControlAvailable ? await surveySwarm(client, info.Swarm.NodeID, get, allowance) : undefined;
  return {
    engine: {
      version: info.ServerVersion,
      apiVersion,
      os: info.OperatingSystem || info.OSType,
      arch: info.Architecture,
      swarm: info.Swarm?.LocalNodeState === 'active',
      rootless: info.SecurityOptions.some((option) => option.includes('name=rootless')),
      cgroup: info.CgroupVersion || '1',
    },
    dataFolder: info.DockerRootDir,
    containers: swarm ? withSwarmServices(containers, swarm, networks) : containers,
    leftOut: Math.max(0, ids.length - mostContainers),
    images,
    volumes,
    networks,
  };
}

async function surveySwarm(
  client: EngineClient,
  nodeId: string,
  get: { signal: AbortSignal },
  allowance: AnswerAllowance,
): Promise<SwarmSurvey> {
  const [services, tasks, nodes, configs] = await Promise.all([
    surveyRequest(client, ServiceList, { path: '/services', ...get }, allowance),
    surveyRequest(client, TaskList, { path: '/tasks', ...get }, allowance),
    surveyRequest(client, NodeList, { path: '/nodes', ...get }, allowance),
    surveyRequest(client, ConfigList, { path: '/configs', ...get }, allowance),
  ]);
  return { nodeId, services, tasks, nodes, configs };
}

/** Returns the version as `1.41`. An engine without one is too old, or not an engine. */
async function spokenVersion(client: EngineClient): Promise<string> {
  try {
    return (await client.version()).slice(1);
  } catch (error) {
    if (error instanceof EngineAwayError || error instanceof EngineError) throw error;
    throw new NotAnEngineError('the service at this address is not a container engine, or is older than Docker 20.10', {
      cause: error,
    });
  }
}

/** Returns the run settings of images by id; missing images are omitted. */
export async function inspectImages(
  client: EngineClient,
  ids: string[],
  signal: AbortSignal,
): Promise<Map<string, ConfigFacts>> {
  const allowance: AnswerAllowance = { bytes: mostBytes };
  const inTurn = limitConcurrency(atOnce);
  const look = async (id: string) => {
    const path = `/images/${encodeURIComponent(id)}/json`;
    const image = await inTurn(() =>
      undefinedIfGone(surveyRequest(client, SurveyedImage, { path, signal }, allowance)),
    );
    return image?.Config ? ([[id, image.Config]] as const) : [];
  };
  return new Map((await Promise.all([...new Set(ids)].map(look))).flat());
}

/**
 * Returns the containers with the files that they wrote outside volumes. Listing them takes long where many files are,
 * and must not fail the scan.
 */
export async function withWrittenFiles(
  client: EngineClient,
  containers: readonly ContainerFacts[],
  signal: AbortSignal,
): Promise<ContainerFacts[]> {
  const allowance: AnswerAllowance = { bytes: mostBytes };
  const patience = AbortSignal.timeout(patienceMs);
  const either = AbortSignal.any([signal, patience]);
  const inTurn = limitConcurrency(atOnce);
  const listChanges = (path: string) => surveyRequest(client, ChangeList, { path, signal: either }, allowance);
  const look = async (container: ContainerFacts): Promise<ContainerFacts> => {
    const Id = container.swarm ? container.swarm.taskId : container.Id;
    if (Id === null) return container;
    try {
      const files = await inTurn(() => writtenFiles(client, { ...container, Id }, listChanges));
      const given = new Set(container.swarm?.files.map(({ target }) => target));
      return { ...container, written: files.filter(({ path }) => !given.has(path)) };
    } catch (error) {
      if (signal.aborted || !(patience.aborted || allowance.bytes < 0 || error instanceof EngineError)) throw error;
      return { ...container, written: null };
    }
  };
  return Promise.all(containers.map(look));
}

const inspect = (client: EngineClient, id: string, signal: AbortSignal, allowance: AnswerAllowance) =>
  undefinedIfGone(
    surveyRequest(client, ContainerAnswer, { path: `/containers/${encodeURIComponent(id)}/json`, signal }, allowance),
  );

/** Running containers first: they matter most when there are too many. */
const byState = (a: { State: string }, b: { State: string }): number =>
  Number(b.State === 'running') - Number(a.State === 'running');
