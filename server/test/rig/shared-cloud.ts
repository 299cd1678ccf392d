import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { ownerToken } from './app.ts';
import { type DeploymentJson, folderOf, json } from './deploy.ts';
import { type Docker, startDocker } from './docker.ts';
import { entering } from './docker-namespace.ts';
import { makeImage, node } from './docker-images.ts';
import { type GitServer, startGitServer } from './git-server.ts';
import { doorInto, doorOut } from './namespace-doors.ts';
import { freePort } from './ports.ts';
import { secondOrganization } from './second-organization.ts';
import { type Service, startService } from './service.ts';
import { until } from './until.ts';

/** An organization in a cloud. */
export interface Tenant {
  token: string;
  call(method: string, path: string, body?: unknown): Promise<{ status: number; text: string; body: never }>;
  /** Deploys files from a repository; `more` are fields of the project. */
  deploy(name: string, files: Record<string, string>, more?: object): Promise<DeploymentJson & { projectId: string }>;
}

/** A cloud on one machine, its service and engine in a private network, with two hostile organizations. */
export interface SharedCloud {
  docker: Docker;
  service: Service;
  git: GitServer;
  one: Tenant;
  two: Tenant;
  ports: { control: number; edge: number };
  close(): Promise<void>;
}

/** `reach` are private addresses that the service may connect to; `settle` prepares the machine and returns
 * additional settings. */
export async function startSharedCloud(
  env: Record<string, string> = {},
  reach: string[] = [],
  settle: (docker: Docker) => Promise<Record<string, string>> = async () => ({}),
): Promise<SharedCloud> {
  const closing: (() => unknown)[] = [];
  const close = async () => {
    for (const each of closing.toReversed()) await each();
  };
  try {
    const docker = await startDocker(['--icc=false']);
    closing.push(() => docker.close());
    await makeImage(docker.client, node);
    const git = await startGitServer();
    closing.push(() => git.stop());
    const out = await doorOut(docker.namespace, Number(new URL(git.url('x')).port));
    closing.push(() => out.close());
    const ports = { control: await freePort(), edge: await freePort() };
    for (const port of Object.values(ports)) {
      const door = await doorInto(docker.namespace, port);
      closing.push(() => door.close());
    }
    const { gateway } = docker.namespace;
    const settings = {
      MOORING_MODE: 'cloud',
      MOORING_RUNTIME: 'docker',
      DOCKER_HOST: docker.address,
      MOORING_START_TIMEOUT: '15',
      MOORING_ALLOW_PRIVATE_TARGETS: [`${gateway}/32`, ...reach].join(','),
      PORT: String(ports.control),
      MOORING_EDGE_PORT: String(ports.edge),
      ...env,
      ...(await settle(docker)),
    };
    const service = await startService({ env: settings, under: entering(docker.namespace) });
    closing.push(() => service.stop());
    const other = await secondOrganization(service);
    const made = await json<{ data: { token: string } }>(other.post('/api/tokens', { name: 'two', permissions: '*' }));
    const urlOf = (repository: string) => `http://${gateway}:${out.port}/${repository}.git`;
    const tenant = (token: string) => tenantOf({ service, git, urlOf, token });
    return { docker, service, git, one: tenant(ownerToken), two: tenant(made.data.token), ports, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Includes pending decisions: the deployment does not continue automatically. */
const over = new Set(['ready', 'failed', 'cancelled', 'partial_failure']);

type On = { service: Service; git: GitServer; urlOf: (repository: string) => string; token: string };

function tenantOf({ service, git, urlOf, token }: On): Tenant {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const call: Tenant['call'] = async (method, path, body) => {
    const answer = await fetch(service.url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, text, body: (text.startsWith('{') ? JSON.parse(text) : {}) as never };
  };
  return {
    token,
    call,
    async deploy(name, files, more = {}) {
      // A new repository each time, without earlier commits.
      const repository = `${name}-${randomBytes(4).toString('hex')}`;
      git.push(repository, folderOf(files), 'a commit');
      const source = { type: 'git', url: urlOf(repository) };
      const project = await call('POST', '/api/projects/ensure', { name, source, ...more });
      const { project_id: projectId } = project.body as { project_id: string };
      const begun = await call('POST', '/api/deployments', { projectId });
      if (begun.status >= 300) throw new Error(begun.text);
      const { id } = (begun.body as { data: { id: string } }).data;
      const ended = await until(
        `deployment ${id} ends`,
        async () => {
          const { data } = (await call('GET', `/api/deployments/${id}`)).body as { data: DeploymentJson };
          return over.has(data.status) ? data : undefined!;
        },
        90_000,
      );
      return { ...ended, projectId };
    },
  };
}

/** An app that executes the body of a request in its container. */
export const agent = (dockerfile: string[] = []): Record<string, string> => ({
  Dockerfile: [`FROM ${node.name}`, 'COPY agent.js /', ...dockerfile, 'CMD ["node", "/agent.js"]', ''].join('\n'),
  'agent.js': `const of = Object.getPrototypeOf(async () => {}).constructor;
require('node:http').createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const result = await new of('require', text || 'return "here"')(require).catch((error) => 'failed: ' + (error.cause?.code ?? error.code ?? error.message));
  response.end(JSON.stringify(result ?? null));
}).listen(process.env.PORT || 3000);`,
});

/** Runs the program in the container of an agent. */
export function tell<T>({ urls }: DeploymentJson, program: string): Promise<T> {
  const { hostname, port } = new URL(urls[0]!);
  return new Promise((resolve, reject) => {
    const headers = { host: hostname };
    const sent = request({ host: '127.0.0.1', port, method: 'POST', headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('end', () => {
        if (response.statusCode === 200) resolve(JSON.parse(text) as T);
        else reject(new Error(`${response.statusCode} ${text}`));
      });
    });
    sent.once('error', reject).end(program);
  });
}

/** Connects to these places from inside the container; returns their responses, if any. */
export const knock = (from: DeploymentJson, places: string[]): Promise<Record<string, string>> =>
  tell(
    from,
    `const places = ${JSON.stringify(places)};
const ask = (place) => new Promise((resolve) => {
  const nothing = (error) => resolve('nothing: ' + (error.code ?? error.message));
  // A connection of its own each time: rules of a firewall are for new ones.
  require('node:http').get(place, { agent: false, signal: AbortSignal.timeout(1500) }, (answer) => {
    let text = answer.statusCode + ' ';
    answer.on('data', (chunk) => (text += chunk)).on('end', () => resolve(text.slice(0, 80))).on('error', nothing);
  }).on('error', nothing);
});
return Object.fromEntries(await Promise.all(places.map(async (place) => [place, await ask(place)])));`,
  );
