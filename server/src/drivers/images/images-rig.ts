import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { newFolder } from '../../../test/rig/children.ts';
import { type Docker, startDocker } from '../../../test/rig/docker.ts';
import { busybox, makeImage } from '../../../test/rig/docker-images.ts';
import { EngineClient, engineAt } from '../runtime/docker/engine/client.ts';
import { createDockerImages, type DockerImagesOptions } from './docker-images.ts';
import type { BuildRequest, BuiltImage, ImageOwner, Images, RunOptions } from './images.ts';

/** Files by path: their text, a symlink (`-> target`), or a folder (a path with a trailing slash). */
export type ContextFiles = Record<string, string>;

export function contextFolder(files: ContextFiles): string {
  const folder = newFolder('context');
  for (const [path, text] of Object.entries(files)) {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    if (path.endsWith('/')) mkdirSync(place, { recursive: true });
    else if (text.startsWith('-> ')) symlinkSync(text.slice(3), place);
    else writeFileSync(place, text);
    if (path.endsWith('.sh')) chmodSync(place, 0o755);
  }
  return folder;
}

export const testImageOwner = (deploymentId: string, more: Partial<ImageOwner> = {}): ImageOwner => ({
  instanceId: 'ins_ours',
  organizationId: 'org_1',
  projectId: 'prj_1',
  deploymentId,
  service: 'app',
  ...more,
});

type Changes = Partial<Omit<BuildRequest, 'owner'>> & { owner?: Partial<ImageOwner>; files?: ContextFiles };

export interface ImagesRig {
  images: Images;
  /** Builds this Dockerfile for a new deployment. */
  build: (dockerfile: string, changes?: Changes, options?: Partial<RunOptions>) => Promise<BuiltImage>;
  /** Output of the last build. */
  lines: string[];
  request: (dockerfile: string, changes?: Changes) => BuildRequest;
  /** Errors that did not fail a call. */
  reports: string[];
}

let deployments = 0;
export const newDeployment = (): string => `dep_${process.pid}n${++deployments}`;

export function imagesRig(client: EngineClient, more: Partial<DockerImagesOptions> = {}): ImagesRig {
  const reports: string[] = [];
  const lines: string[] = [];
  const images = createDockerImages({
    engine: client,
    instanceId: 'ins_ours',
    folder: newFolder('images'),
    report: (what, error) => reports.push(`${what}: ${String(error)}`),
    ...more,
  });
  const request = (dockerfile: string, { owner, files = {}, ...changes }: Changes = {}): BuildRequest => ({
    context: contextFolder(files),
    dockerfile: { text: dockerfile },
    ...changes,
    owner: testImageOwner(newDeployment(), owner),
  });
  return {
    images,
    lines,
    reports,
    request,
    build(dockerfile, changes, options = {}) {
      lines.length = 0;
      const onLine = (line: string) => void lines.push(line);
      const run = { signal: new AbortController().signal, deadlineMs: 60_000, onLine, ...options };
      return images.build(request(dockerfile, changes), run);
    },
  };
}

/** An engine with busybox, and helpers to inspect it. */
export interface ImagesEngine extends Docker {
  get: <T>(path: string, query?: Record<string, string | object | boolean>) => Promise<T>;
  post: <T>(path: string, body?: object) => Promise<T>;
  /** Returns the output of a command in an image. */
  run: (imageId: string, command: string[]) => Promise<string>;
  /** Every container, also exited ones. */
  containers: () => Promise<{ Id: string; Names: string[] }[]>;
  /** Opens a separate connection to the engine. */
  connect: () => EngineClient;
}

export async function startImagesEngine(more: string[] = [], diskBytes = 0): Promise<ImagesEngine> {
  const docker = await startDocker(more, diskBytes);
  const { client, address } = docker;
  const get = <T>(path: string, query = {}) => client.json<T>({ method: 'GET', path, query });
  const post = <T>(path: string, body?: object) => client.json<T>({ method: 'POST', path, ...(body && { body }) });
  const clients: EngineClient[] = [];
  const close = docker.close.bind(docker);
  try {
    await makeImage(client, busybox);
    return Object.assign(docker, {
      get,
      post,
      containers: () => get<{ Id: string; Names: string[] }[]>('/containers/json', { all: true }),
      connect() {
        clients.push(new EngineClient(engineAt(address)));
        return clients.at(-1)!;
      },
      async run(Image: string, Cmd: string[]) {
        const body = { Image, Cmd, Entrypoint: [], Tty: true, HostConfig: { NetworkMode: 'none' } };
        const { Id } = await post<{ Id: string }>('/containers/create', body);
        await post(`/containers/${Id}/start`);
        await post(`/containers/${Id}/wait`);
        const answer = await client.open({
          method: 'GET',
          path: `/containers/${Id}/logs`,
          query: { stdout: true, stderr: true },
        });
        const printed = Buffer.concat(await answer.toArray()).toString('utf8');
        await client.json({ method: 'DELETE', path: `/containers/${Id}`, query: { force: true, v: true } });
        return printed.replaceAll('\r', '');
      },
      async close() {
        for (const each of clients) each.close();
        await close();
      },
    });
  } catch (error) {
    await close();
    throw error;
  }
}
