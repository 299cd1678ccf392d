import { Readable } from 'node:stream';
import { writeTar, type WrittenEntry } from '../../../../lib/archive/writer.ts';
import { splitLines } from '../../../host/lines.ts';
import type { ContainerData, ContainerDetails, ContainerRef } from '../../container-data.ts';
import { VolumeInUseError } from '../../errors.ts';
import type { EngineClient } from '../engine/client.ts';
import { undefinedIfGone } from '../engine/errors.ts';
import type { ContainerInfo } from '../engine/types.ts';
import { logFrames } from '../logs/frames.ts';
import { isUp, type OwnContainer } from '../own-containers.ts';
import type { RuntimeParts } from '../runtime-parts.ts';
import { execIn } from './exec.ts';
import { findScratch, removeScratch, startScratch } from './scratch.ts';

const copyMs = 3_600_000;

type Find = (deploymentId: string, service: string) => Promise<OwnContainer | undefined>;

/** Access to the data of our containers. */
export function containerData(parts: RuntimeParts, instanceId: string, find: Find): ContainerData {
  const { engine } = parts;
  const infoOf = async (ref: ContainerRef): Promise<ContainerInfo | undefined> =>
    'jobId' in ref
      ? findScratch(engine, instanceId, ref)
      : (await parts.steadily(() => find(ref.deploymentId, ref.service)))?.info;
  const required = async (ref: ContainerRef): Promise<ContainerInfo> => {
    const info = await infoOf(ref);
    if (!info) throw new Error(`there is no container of ${JSON.stringify(ref)}`);
    return info;
  };
  return {
    async inspect(ref) {
      const info = await infoOf(ref);
      return info && factsOf(info);
    },
    exec: async (ref, command) => execIn(engine, (await required(ref)).Id, command),
    async output(ref, tail) {
      const { Id, Config } = await required(ref);
      const query = { stdout: true, stderr: true, timestamps: true, tail };
      const log = await engine.open({ method: 'GET', path: `/containers/${Id}/logs`, query });
      const output: string[] = [];
      const lines = splitLines((line) => output.push(line));
      for await (const { content } of logFrames(log, Config.Tty)) lines.push(content);
      lines.end();
      return output;
    },
    async readFiles(ref, path) {
      const { Id } = await required(ref);
      return undefinedIfGone(engine.open({ method: 'GET', path: `/containers/${Id}/archive`, query: { path } }));
    },
    async writeFiles(ref, path, entries) {
      const { Id } = await required(ref);
      await putFiles(engine, Id, path, tarOf(entries));
    },
    volumeDefinition: (id) => parts.volumes.definition(id),
    async refillVolume(volume, entries) {
      const all = await parts.steadily(() => parts.containers.list());
      const holders = all.filter(({ info }) => info.Mounts?.some(({ Name }) => Name === volume.id));
      if (holders.some(isUp)) throw new VolumeInUseError(volume.id);
      for (const holder of holders) await parts.start.end(holder);
      await parts.volumes.refill(volume, entries);
    },
    async startScratch({ deploymentId, service }, scratch, files) {
      const container = await find(deploymentId, service);
      if (!container) throw new Error(`there is no container of ${service}`);
      await startScratch(engine, container, scratch, async (id) => {
        if (files) await putFiles(engine, id, files.path, tarOf(files.entries));
      });
    },
    removeScratch: (jobId) => removeScratch(engine, instanceId, jobId),
  };
}

const tarOf = (entries: AsyncIterable<WrittenEntry>): Readable =>
  Readable.from(writeTar(entries), { objectMode: false });

const putFiles = (engine: EngineClient, id: string, path: string, body: Readable): Promise<void> =>
  engine.json({
    method: 'PUT',
    path: `/containers/${id}/archive`,
    query: { path },
    headers: { 'content-type': 'application/x-tar' },
    body,
    deadlineMs: copyMs,
  });

function factsOf({ Config, State, Mounts }: ContainerInfo): ContainerDetails {
  const variables = (Config.Env ?? []).map((each): [string, string] => {
    const at = each.indexOf('=');
    return [each.slice(0, at), each.slice(at + 1)];
  });
  return {
    isRunning: State.Status === 'running' || State.Status === 'paused',
    environment: Object.fromEntries(variables),
    command: [...(Config.Entrypoint ?? []), ...(Config.Cmd ?? [])],
    volumes: (Mounts ?? []).flatMap(({ Name, Destination }) =>
      Name && Destination ? { id: Name, path: Destination } : [],
    ),
  };
}
