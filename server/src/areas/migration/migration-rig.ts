import { execFileSync } from 'node:child_process';
import { type Answer, ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { newFolder } from '../../../test/rig/children.ts';
import type { DatabaseKind } from '../../db/database.ts';
import { type Docker, startDocker } from '../../../test/rig/docker.ts';
import { busybox, makeImage } from '../../../test/rig/docker-images.ts';
import { startSshd, type Sshd } from '../../../test/rig/sshd.ts';
import type { ScannedStack, StackService } from './stack/schemas.ts';

export const sshUser = { name: 'harbour', uid: 61_600, password: 'correct horse' };

type Body = Record<string, unknown>;

/** A machine with an engine behind a real SSH server, and an instance that has it as a server. */
export interface ScanRig {
  docker: Docker;
  sshd: Sshd;
  app: TestApp;
  serverId: string;
  /** Creates a container with a body of the engine API and returns its id; not started by default. */
  create(name: string, body?: Body, start?: boolean): Promise<string>;
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: object): Promise<T>;
  /** Removes everything but images. */
  empty(): Promise<void>;
  addServer(more?: object): Promise<string>;
  scan(serverId?: string): Promise<Answer>;
  stack(serverId?: string): Promise<ScannedStack>;
  service(name: string): Promise<StackService>;
  adopt(body: object, who?: object): Promise<Answer>;
  close(): Promise<void>;
}

let made = 0;

export async function startScanRig(kind: DatabaseKind = 'sqlite', env: Record<string, string> = {}): Promise<ScanRig> {
  const docker = await startDocker();
  await makeImage(docker.client, busybox);
  const sshd = await startSshd({ people: [sshUser], engineSocket: new URL(docker.address).pathname });
  const app = await startApp(kind, { env: { MOORING_SSH_TIMEOUT: '5', DOCKER_HOST: docker.address, ...env } });
  const call = (path: string, body: object, who: object = { token: ownerToken }) =>
    app.call('POST', path, { ...who, body });
  const get = <T>(path: string) => docker.client.json<T>({ method: 'GET', path });
  const post = <T>(path: string, body?: object) =>
    docker.client.json<T>({ method: 'POST', path, ...(body && { body }) });
  const remove = (path: string) => docker.client.json({ method: 'DELETE', path });
  const addServer = async (more: object = {}) => {
    const place = { name: `machine ${++made}`, host: '127.0.0.1', port: sshd.port, user: 'root', generateKey: true };
    const answer = await call('/api/servers', { ...place, ...more });
    const { id, publicKey } = (answer.body as unknown as { data: { id: string; publicKey: string | null } }).data;
    if (publicKey) sshd.allow(publicKey);
    return id;
  };
  const serverId = await addServer();
  const scan = (id = serverId) => call('/api/migration/scan', { serverId: id });
  const stack = async (id = serverId) => {
    const answer = await scan(id);
    if (answer.status !== 200) throw new Error(`scan: ${answer.status} ${answer.text}`);
    return (answer.body as unknown as { stack: ScannedStack }).stack;
  };
  return {
    docker,
    sshd,
    app,
    serverId,
    get,
    post,
    addServer,
    scan,
    stack,
    async create(name, body = {}, start = false) {
      const spec = { Image: busybox.name, Cmd: ['sleep', '600'], ...body };
      const { Id } = await post<{ Id: string }>(`/containers/create?name=${name}`, spec);
      if (start) await post(`/containers/${Id}/start`);
      return Id;
    },
    async service(name) {
      const { services } = await stack();
      const found = services.find((each) => each.name === name);
      if (!found) throw new Error(`there is no ${name} among ${services.map((each) => each.name).join(', ')}`);
      return found;
    },
    adopt: (body, who) => call('/api/migration/adopt', { serverId, ...body }, who),
    async empty() {
      const containers = await get<{ Id: string }[]>('/containers/json?all=true');
      await Promise.all(containers.map(({ Id }) => remove(`/containers/${Id}?force=true&v=true`)));
      await post('/networks/prune');
      const { Volumes } = await get<{ Volumes: { Name: string }[] }>('/volumes');
      await Promise.all(Volumes.map(({ Name }) => remove(`/volumes/${Name}`)));
      await app.database.db.deleteFrom('projects').execute();
    },
    async close() {
      await app.close();
      await sshd.stop();
      await docker.close();
    },
  };
}

/** Labels as set by Docker Compose. */
export const composeLabels = (project: string, service: string, more: Record<string, string> = {}) => ({
  'com.docker.compose.project': project,
  'com.docker.compose.service': service,
  'com.docker.compose.container-number': '1',
  'com.docker.compose.oneoff': 'False',
  ...Object.fromEntries(Object.entries(more).map(([key, value]) => [`com.docker.compose.${key}`, value])),
});

/** Lists everything below a folder with type, size and times, to detect changes. */
export const listTree = (folder: string): string =>
  execFileSync('find', [folder, '-printf', '%p %y %s %m %U %T@ %C@\\n'], { encoding: 'utf8' })
    .split('\n')
    .toSorted()
    .join('\n');

export const newStackFolder = (): string => newFolder('compose-stack');
