import type { EngineClient } from './engine/client.ts';
import { goneOrGoing, undefinedIfGone } from './engine/errors.ts';
import type { Labels } from './engine/types.ts';

/** Does not exist and is never started. */
const neverRun = ['/mooring-never-runs'];

export interface IdleContainer {
  image: string;
  labels: Labels;
  /** A volume to mount, and where. */
  volume?: { id: string; place: string };
}

/** Creates a container that is never started: it gives access to the files of its image and of a volume. */
export async function createIdle(engine: EngineClient, { image, labels, volume }: IdleContainer): Promise<string> {
  const Mounts = volume
    ? [{ Type: 'volume', Source: volume.id, Target: volume.place, VolumeOptions: { NoCopy: true } }]
    : [];
  const body = {
    Image: image,
    Entrypoint: neverRun,
    Cmd: [],
    NetworkDisabled: true,
    Labels: labels,
    HostConfig: { NetworkMode: 'none', Mounts },
  };
  const { Id } = await engine.json<{ Id: string }>({ method: 'POST', path: '/containers/create', body });
  return Id;
}

export async function removeIdle(engine: EngineClient, id: string): Promise<void> {
  const query = { force: true, v: true };
  await undefinedIfGone(engine.json({ method: 'DELETE', path: `/containers/${id}`, query }), goneOrGoing);
}

export async function withIdle<T>(
  engine: EngineClient,
  wanted: IdleContainer,
  task: (id: string) => Promise<T>,
): Promise<T> {
  const id = await createIdle(engine, wanted);
  try {
    return await task(id);
  } finally {
    await removeIdle(engine, id);
  }
}
