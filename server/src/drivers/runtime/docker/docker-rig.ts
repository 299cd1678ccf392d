import { makeImage, node } from '../../../../test/rig/docker-images.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { type Docker, startDocker } from '../../../../test/rig/docker.ts';
import { appPorts } from '../../../../test/rig/ports.ts';
import type { ReleaseChanges, RuntimeRig } from '../contract.ts';
import { appOptions } from '../app-options.ts';
import type { ImageRelease, RuntimeEvent } from '../runtime.ts';
import type { DockerRuntime, DockerRuntimeOptions } from './options.ts';
import { createDockerRuntime } from './docker-runtime.ts';
import { engineAt } from './engine/client.ts';
import type { ContainerInfo } from './engine/types.ts';

/** An engine with a Node image, shared by the tests of a file. */
export interface RuntimeEngine extends Docker {
  imageId: string;
  get: <T>(path: string) => Promise<T>;
  post: <T>(path: string, body?: object) => Promise<T>;
  inspect: (id: string) => Promise<ContainerInfo>;
  /** Commits the image with further instructions (`USER 1000`) under another name; returns its id. */
  derive: (name: string, changes: string[]) => Promise<string>;
  /** Starts a container that is not ours. */
  foreign: (name: string, labels: object, port?: number) => Promise<string>;
}

export async function startRuntimeEngine(more: string[] = []): Promise<RuntimeEngine> {
  const docker = await startDocker(more);
  const { client } = docker;
  const get = <T>(path: string) => client.json<T>({ method: 'GET', path });
  const post = <T>(path: string, body?: object) => client.json<T>({ method: 'POST', path, ...(body && { body }) });
  const create = async (name: string, body: object) =>
    (await post<{ Id: string }>(`/containers/create?name=${name}`, { Image: node.name, ...body })).Id;
  try {
    const imageId = await makeImage(client, node);
    return Object.assign(docker, {
      imageId,
      get,
      post,
      inspect: (id: string) => get<ContainerInfo>(`/containers/${id}/json`),
      async derive(name: string, changes: string[]) {
        const container = await create(`maker-of-${name}`, {});
        const search = new URLSearchParams({ container, repo: name, changes: changes.join('\n') });
        const { Id } = await post<{ Id: string }>(`/commit?${search.toString()}`);
        await client.json({ method: 'DELETE', path: `/containers/${container}` });
        return Id;
      },
      async foreign(name: string, labels: object, port?: number) {
        const bindings = { '80/tcp': [{ HostIp: docker.namespace.address, HostPort: String(port) }] };
        const HostConfig = port ? { PortBindings: bindings } : { NetworkMode: 'none' };
        const body = { Cmd: ['sleep', '600'], Labels: labels, ExposedPorts: { '80/tcp': {} }, HostConfig };
        const id = await create(name, body);
        await post(`/containers/${id}/start`);
        return id;
      },
    });
  } catch (error) {
    await docker.close();
    throw error;
  }
}

export type ImageChanges = ReleaseChanges & Partial<Omit<ImageRelease, keyof ReleaseChanges>>;

export interface DockerRig extends RuntimeRig {
  runtime: DockerRuntime;
  again: () => DockerRuntime;
  /** Another driver with other settings. */
  with: (changes: Partial<DockerRuntimeOptions>) => DockerRuntime;
  release: (program: string, changes?: ImageChanges) => ImageRelease;
  /** Events of the first runtime. */
  events: RuntimeEvent[];
  /** Errors that did not fail a call; a test that provokes one must empty this. */
  reports: string[];
  options: { address: string } & Pick<DockerRuntimeOptions, 'folder' | 'instanceId' | 'portRange'>;
  lines: (deploymentId?: string) => Promise<string[]>;
}

/** The Docker runtime with its own folder and a few ports. */
export function dockerRig(engine: RuntimeEngine, more: Partial<DockerRuntimeOptions> = {}): DockerRig {
  const firstPort = appPorts();
  const events: RuntimeEvent[] = [];
  const reports: string[] = [];
  const options: DockerRuntimeOptions = {
    connect: engineAt(engine.address),
    folder: newFolder('containers'),
    instanceId: 'ins_ours',
    portRange: { from: firstPort, to: firstPort + 9 },
    hostAddress: engine.namespace.address,
    report: (what, error) => reports.push(`${what}: ${String(error)}`),
    ...more,
  };
  const made: DockerRuntime[] = [];
  const make = (changes: Partial<DockerRuntimeOptions> = {}) => {
    const runtime = createDockerRuntime({ ...options, ...changes });
    made.push(runtime);
    return runtime;
  };
  const runtime = make({ onEvent: (event) => events.push(event) });
  return {
    runtime,
    again: () => make(),
    with: make,
    stranger: () => make({ instanceId: 'ins_stranger' }),
    events,
    reports,
    options: { ...options, address: engine.address },
    lines: async (id = 'dep_1') => (await runtime.logs(id, {})).map(({ line }) => line),
    release: (program, changes) => nodeRelease(engine.imageId, program, changes),
    async close() {
      await Promise.all(made.map((each) => each.close()));
      await removeEverything(engine);
      if (reports.length) throw new Error(`reported, and no test has asked for it: ${reports.join('; ')}`);
    },
  };
}

export function nodeRelease(imageId: string, program: string, { owner, ...changes }: ImageChanges = {}): ImageRelease {
  return {
    kind: 'image',
    image: node.name,
    imageId,
    command: ['node', '-e', program],
    secretKeys: [],
    listensOn: 3000,
    service: appOptions(`${owner?.projectId ?? 'prj_1'}/production`),
    ...changes,
    env: { HOST: '0.0.0.0', PORT: '3000', ...changes.env },
    owner: {
      instanceId: 'ins_ours',
      organizationId: 'org_1',
      projectId: 'prj_1',
      deploymentId: 'dep_1',
      service: 'app',
      fence: 1,
      ...owner,
    },
  };
}

/** The engine is ours alone: removes everything but images. */
async function removeEverything({ client }: Docker): Promise<void> {
  const containers = await client.json<{ Id: string }[]>({
    method: 'GET',
    path: '/containers/json',
    query: { all: true },
  });
  await Promise.all(
    containers.map(({ Id }) =>
      client.json({ method: 'DELETE', path: `/containers/${Id}`, query: { force: true, v: true } }),
    ),
  );
  await client.json({ method: 'POST', path: '/networks/prune' });
  const { Volumes } = await client.json<{ Volumes: { Name: string }[] }>({ method: 'GET', path: '/volumes' });
  await Promise.all(Volumes.map(({ Name }) => client.json({ method: 'DELETE', path: `/volumes/${Name}` })));
}
