import { limitConcurrency } from '../../../../lib/concurrency.ts';
import type { EngineClient } from '../engine/client.ts';
import { EngineAwayError } from '../../errors.ts';
import { EngineError, ifThere } from '../engine/errors.ts';
import {
  type ConfigFacts,
  Container,
  type ContainerFacts,
  ContainerList,
  SurveyedImage,
  type ImageFacts,
  ImageList,
  Info,
  type NetworkFacts,
  Networks,
  type VolumeFacts,
  VolumeList,
} from './answers.ts';
import { type Allowance, ask, NotAnEngineError } from './bounded-answer.ts';

// Enough that the way there is never idle; each is a channel to the engine that stays open.
const atOnce = 8;
const mostContainers = 2000;
const mostBytes = 128 * 1024 * 1024;

/** What an engine has, as it says itself. */
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
  containers: ContainerFacts[];
  /** How many containers there are beyond those that were looked at. */
  leftOut: number;
  images: ImageFacts[];
  volumes: VolumeFacts[];
  networks: NetworkFacts[];
}

/** Looks at everything that an engine has. Asks only, and changes nothing. */
export async function surveyEngine(client: EngineClient, signal: AbortSignal): Promise<EngineSurvey> {
  const allowance: Allowance = { bytes: mostBytes };
  const apiVersion = await spokenVersion(client);
  const get = { signal };
  const [info, listed, images, { Volumes: volumes }, networks] = await Promise.all([
    ask(client, Info, { path: '/info', ...get }, allowance),
    ask(client, ContainerList, { path: '/containers/json', query: { all: true }, ...get }, allowance),
    ask(client, ImageList, { path: '/images/json', ...get }, allowance),
    ask(client, VolumeList, { path: '/volumes', ...get }, allowance),
    ask(client, Networks, { path: '/networks', ...get }, allowance),
  ]);
  const ids = listed.toSorted(byState).map(({ Id }) => Id);
  const inTurn = limitConcurrency(atOnce);
  const inspected = await Promise.all(
    ids.slice(0, mostContainers).map((id) => inTurn(() => inspect(client, id, signal, allowance))),
  );
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
    // One that was removed since it was listed is not there.
    containers: inspected.filter((each) => each !== undefined),
    leftOut: Math.max(0, ids.length - mostContainers),
    images,
    volumes,
    networks,
  };
}

/** As `1.41`. Who says none is no engine, or one that is too old. */
async function spokenVersion(client: EngineClient): Promise<string> {
  try {
    return (await client.version()).slice(1);
  } catch (error) {
    if (error instanceof EngineAwayError || error instanceof EngineError) throw error;
    throw new NotAnEngineError('what answers there is no container engine, or one that is older than Docker 20.10', {
      cause: error,
    });
  }
}

/** What images say of how they are run, by their ids; those that are gone are not in it. */
export async function inspectImages(
  client: EngineClient,
  ids: string[],
  signal: AbortSignal,
): Promise<Map<string, ConfigFacts>> {
  const allowance: Allowance = { bytes: mostBytes };
  const inTurn = limitConcurrency(atOnce);
  const look = async (id: string) => {
    const path = `/images/${encodeURIComponent(id)}/json`;
    const image = await inTurn(() => ifThere(ask(client, SurveyedImage, { path, signal }, allowance)));
    return image?.Config ? ([[id, image.Config]] as const) : [];
  };
  return new Map((await Promise.all([...new Set(ids)].map(look))).flat());
}

const inspect = (client: EngineClient, id: string, signal: AbortSignal, allowance: Allowance) =>
  ifThere(ask(client, Container, { path: `/containers/${encodeURIComponent(id)}/json`, signal }, allowance));

/** Those that run come first: they are the ones that matter where there are too many. */
const byState = (a: { State: string }, b: { State: string }): number =>
  Number(b.State === 'running') - Number(a.State === 'running');
