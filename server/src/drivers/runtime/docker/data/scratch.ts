import type { ScratchRef } from '../../container-data.ts';
import type { EngineClient } from '../engine/client.ts';
import { goneOrGoing, undefinedIfGone } from '../engine/errors.ts';
import type { ContainerInfo } from '../engine/types.ts';
import { instanceFilter, projectLabels, scratchLabel, scratchNameLabel } from '../labels.ts';
import type { OwnContainer } from '../own-containers.ts';

/** Enough for a database of any size, and too little to disturb the machine. */
const limits = { Memory: 2 ** 30, NanoCpus: 10 ** 9, PidsLimit: 512, ShmSize: 2 ** 27 };

/** Starts a container of the same image that nothing else uses. Its data is in anonymous volumes, removed with it. */
export async function startScratch(
  engine: EngineClient,
  { info, owner }: OwnContainer,
  { jobId, name }: ScratchRef,
  prepare: (id: string) => Promise<void>,
): Promise<void> {
  await removeScratch(engine, owner.instanceId, jobId, name);
  const { Env, Entrypoint, Cmd, User, WorkingDir } = info.Config;
  const body = {
    Image: info.Image,
    Env,
    Entrypoint,
    Cmd,
    User,
    WorkingDir,
    NetworkDisabled: true,
    // Without the labels of a service, it is no instance of one.
    Labels: { ...projectLabels(owner), [scratchLabel]: jobId, [scratchNameLabel]: name },
    HostConfig: {
      ...limits,
      NetworkMode: 'none',
      CapDrop: info.HostConfig.CapDrop,
      // Images of databases start as root, and need capabilities to become another user.
      CapAdd: info.HostConfig.CapAdd,
      SecurityOpt: ['no-new-privileges'],
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m' } },
    },
  };
  const { Id } = await engine.json<{ Id: string }>({
    method: 'POST',
    path: '/containers/create',
    query: { name: `mooring-${jobId}.${name}` },
    body,
  });
  await prepare(Id);
  await engine.json({ method: 'POST', path: `/containers/${Id}/start` });
}

export async function findScratch(
  engine: EngineClient,
  instanceId: string,
  { jobId, name }: ScratchRef,
): Promise<ContainerInfo | undefined> {
  const [first] = await listed(engine, instanceId, jobId, name);
  return first && undefinedIfGone(engine.json<ContainerInfo>({ method: 'GET', path: `/containers/${first.Id}/json` }));
}

export async function removeScratch(
  engine: EngineClient,
  instanceId: string,
  jobId: string,
  name?: string,
): Promise<void> {
  for (const { Id } of await listed(engine, instanceId, jobId, name)) {
    const query = { force: true, v: true };
    await undefinedIfGone(engine.json({ method: 'DELETE', path: `/containers/${Id}`, query }), goneOrGoing);
  }
}

function listed(
  engine: EngineClient,
  instanceId: string,
  jobId: string,
  name: string | undefined,
): Promise<{ Id: string }[]> {
  const own = [`${scratchLabel}=${jobId}`, ...(name === undefined ? [] : [`${scratchNameLabel}=${name}`])];
  const query = { all: true, filters: { label: [...instanceFilter(instanceId).label, ...own] } };
  return engine.json({ method: 'GET', path: '/containers/json', query });
}
