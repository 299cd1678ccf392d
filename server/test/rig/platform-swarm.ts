import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { makeImage, node } from './docker-images.ts';
import type { Body, Quay } from './cut-over.ts';
import { startQuay } from './cut-over.ts';
import { initSwarm, withOwnRunFolder } from './swarm.ts';
import { until } from './until.ts';

/** Of a registry that does not answer, like an image that only this machine has. */
export const localImage = '127.0.0.1:1/app:3';

/** A server that is a Swarm of one node, as some platforms set it up. */
export interface SwarmHost {
  quay: Quay;
  /** Where the platform's proxy answers: `/<service>/` goes to port 8080 of the service. */
  proxy: string;
  /** Creates a service with fields of the Engine API, and waits until it runs; returns its id. */
  serve(name: string, program: string, service?: ServiceBody): Promise<string>;
  /** The response of the server's edge under a name. */
  atEdge(name: string): Promise<string>;
  replicasOf(id: string): Promise<number | undefined>;
  /** The number of its running tasks. */
  running(id: string): Promise<number>;
  close(): Promise<void>;
}

const edgePort = 8000;

type ServiceBody = { container?: Body; task?: Body; spec?: Body; replicas?: number };
type Info = { Spec: { Mode: { Replicated: { Replicas: number } } } };
type Task = { Status: { State: string }; DesiredState: string };

/** Tries each address of a name, as Traefik and nginx do. The kernel of test machines may lack Swarm's virtual
 * addresses, so all services have their own. */
export const proxyProgram = `
const [http, dns] = [require('node:http'), require('node:dns').promises];
const ask = (host) => new Promise((resolve, reject) => {
  const request = http.get({ host, port: 8080, agent: false, timeout: 300 }, (answer) => {
    let text = '';
    answer.on('data', (chunk) => (text += chunk)).on('end', () => resolve(text)).on('error', reject);
  });
  request.on('timeout', () => request.destroy(new Error('timeout'))).on('error', reject);
});
http.createServer(async (request, response) => {
  for (let tries = 0; tries < 2; tries++)
    for (const { address } of await dns.lookup(request.url.split('/')[1], { all: true, family: 4 }).catch(() => []))
      try { return response.end(await ask(address)); } catch {}
  response.destroy();
}).listen(80);
process.on('SIGTERM', () => process.exit(0));`;

export async function startSwarmHost(network: string): Promise<SwarmHost> {
  const quay = await startQuay({ edgePort, edgeTlsPort: 8443 }, withOwnRunFolder);
  const { docker, address } = quay.server;
  const { client } = docker;
  const post = <T>(path: string, body?: object) => client.json<T>({ method: 'POST', path, ...(body && { body }) });
  const tasksOf = async (id: string) => {
    const query = { filters: { service: [id] } };
    const tasks = await client.json<Task[]>({ method: 'GET', path: '/tasks', query });
    return tasks.filter((task) => task.Status.State === 'running' && task.DesiredState === 'running').length;
  };
  try {
    await makeImage(client, node);
    const [repo, tag] = [localImage.slice(0, -2), localImage.slice(-1)];
    await client.json({ method: 'POST', path: `/images/${encodeURIComponent(node.name)}/tag`, query: { repo, tag } });
    await initSwarm(docker);
    await post('/networks/create', { Name: network, Driver: 'overlay', Attachable: true });
  } catch (error) {
    await quay.close();
    throw error;
  }
  return {
    quay,
    proxy: `http://${address}`,
    async serve(name, program, { container = {}, task = {}, spec = {}, replicas = 1 } = {}) {
      const { ID } = await post<{ ID: string }>('/services/create', {
        Name: name,
        TaskTemplate: {
          ContainerSpec: { Image: localImage, Command: ['node'], Args: ['-e', program], ...container },
          Networks: [{ Target: network }],
          ...task,
        },
        Mode: { Replicated: { Replicas: replicas } },
        EndpointSpec: { Mode: 'dnsrr' },
        ...spec,
      });
      await until(`${name} runs`, async () => (await tasksOf(ID)) === replicas, 60_000);
      return ID;
    },
    atEdge: (name) =>
      new Promise((resolve, reject) => {
        const call = request({ host: address, port: edgePort, headers: { host: name } }, (response) => {
          text(response).then(resolve, reject);
        });
        call.once('error', reject).end();
      }),
    async replicasOf(id) {
      const path = `/services/${id}`;
      const found = await client.json<Info>({ method: 'GET', path }).catch((error: { status?: number }) => {
        if (error.status === 404) return undefined;
        throw error;
      });
      return found?.Spec.Mode.Replicated.Replicas;
    },
    running: tasksOf,
    close: () => quay.close(),
  };
}
