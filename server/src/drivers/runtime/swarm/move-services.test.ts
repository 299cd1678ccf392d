import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { EngineClient } from '../docker/engine/client.ts';
import { onceLabel, ownerLabels } from '../docker/labels.ts';
import { moveServices, servicesOn } from './move-services.ts';
import { OwnServices } from './own-services.ts';
import type { ServiceInfo, TaskInfo } from './types.ts';

const names = ['web', 'api', 'db', 'job', 'elsewhere'];

/** A Swarm that starts the new task of an updated service on another node. */
async function swarm() {
  const specs = new Map(names.map((name) => [name, serviceOf(name)]));
  const tasks = new Map(names.map((name) => [name, [taskOf(name, name === 'elsewhere' ? 'n2' : 'n1', 0)]]));
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://engine');
    const name = /services\/([a-z]+)/.exec(pathname)?.[1];
    const answer = () => {
      if (pathname.endsWith('/tasks')) {
        const wanted = (JSON.parse(searchParams.get('filters')!) as { service?: string[] }).service ?? names;
        return wanted.flatMap((each) => tasks.get(each)!);
      }
      if (pathname.endsWith('/services')) return [...specs.values()];
      return name ? specs.get(name) : {};
    };
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (request.method === 'POST') {
        const Spec = JSON.parse(body) as ServiceInfo['Spec'];
        specs.set(name!, { ...specs.get(name!)!, Spec });
        const [old] = tasks.get(name!)!;
        const ended = { ...old!, Status: { ...old!.Status, State: 'shutdown' as const } };
        tasks.set(name!, [taskOf(name!, 'n2', Spec.TaskTemplate.ForceUpdate!), ended]);
      }
      response.setHeader('api-version', '1.41').end(JSON.stringify(answer()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const engine = new EngineClient(() => connect({ host: '127.0.0.1', port }));
  onTestFinished(() => {
    engine.close();
    server.close();
  });
  return { engine, nodeOf: (name: string) => tasks.get(name)![0]!.NodeID };
}

function serviceOf(name: string): ServiceInfo {
  const owner = { instanceId: 'i', organizationId: 'o', projectId: 'p', deploymentId: 'd', service: name, fence: 1 };
  const Constraints = name === 'db' ? ['node.id==n1'] : [];
  return {
    ID: name,
    Version: { Index: 1 },
    Spec: {
      Name: name,
      Labels: { ...ownerLabels(owner), ...(name === 'job' && { [onceLabel]: 'true' }) },
      TaskTemplate: { ContainerSpec: { Image: 'x' }, Placement: { Constraints } },
      Mode: { Replicated: { Replicas: 1 } },
    },
  };
}

function taskOf(name: string, NodeID: string, ForceUpdate: number): TaskInfo {
  return {
    ID: `${name} ${ForceUpdate}`,
    ServiceID: name,
    NodeID,
    CreatedAt: new Date(ForceUpdate).toISOString(),
    DesiredState: 'running',
    Status: { Timestamp: new Date().toISOString(), State: 'running' },
    Spec: { ContainerSpec: { Image: 'x' }, ForceUpdate },
  };
}

it('moves what can start elsewhere, and neither what is bound to the node nor a job', async () => {
  const { engine, nodeOf } = await swarm();
  const found = await servicesOn(new OwnServices(engine, 'i'), 'n1');
  const namesOf = (group: keyof typeof found) => found[group].map(({ owner }) => owner.service).toSorted();
  expect([namesOf('movable'), namesOf('bound'), namesOf('jobs')]).toEqual([['api', 'web'], ['db'], ['job']]);
  const held: string[] = [];
  await moveServices(engine, 'i', 'n1', {
    async whileHeld({ owner }, move) {
      held.push(owner.service);
      await move();
    },
    untilAnswers: async () => {},
  });
  expect(held.toSorted()).toEqual(['api', 'web']);
  expect(names.map(nodeOf)).toEqual(['n2', 'n2', 'n1', 'n1', 'n2']);
});
