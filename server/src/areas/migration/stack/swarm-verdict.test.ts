import { describe, expect, it } from 'vitest';
import type { ContainerFacts, NetworkFacts } from '../../../drivers/runtime/docker/survey/answers.ts';
import { NodeList, ServiceList, TaskList } from '../../../drivers/runtime/docker/survey/swarm-answers.ts';
import { withSwarmServices } from '../../../drivers/runtime/docker/survey/swarm-services.ts';
import { testContainer } from '../facts-rig.ts';
import { foundServices, foundReplicas } from './found-services.ts';
import { obstacleOf } from './verdict.ts';
import { swarmWarnings } from './swarm-verdict.ts';

const nodes = NodeList.parse(['here', 'there'].map((ID) => ({ ID, Description: { Hostname: `${ID}.example` } })));
const networks: NetworkFacts[] = [
  { Id: 'n1', Name: 'inner', Driver: 'overlay', Internal: false, Attachable: true, Labels: {} },
];
const id = 'a'.repeat(25);

type Given = { on?: string[]; local?: number; mode?: object | null; spec?: object; task?: object };

/** Finds a service with running tasks on these nodes, and that many containers on this machine. */
function found({ on = ['here'], local = 1, mode = { Replicated: { Replicas: 2 } }, spec, task }: Given = {}) {
  const labels = { 'com.docker.swarm.service.id': id, 'com.docker.swarm.task': 't' };
  const containers: ContainerFacts[] = Array.from({ length: local }, (_, i) =>
    testContainer(`web.${i}`, { config: { Labels: labels }, ...task }),
  );
  const TaskTemplate = { ContainerSpec: { Image: 'nginx:1' }, Networks: [{ Target: 'n1', Aliases: ['w'] }] };
  const services = ServiceList.parse([{ ID: id, Spec: { Name: 'web', Mode: mode, TaskTemplate, ...spec } }]);
  const tasks = TaskList.parse(
    on.map((NodeID) => ({ ServiceID: id, NodeID, DesiredState: 'running', Status: { State: 'running' } })),
  );
  const all = withSwarmServices(containers, { nodeId: 'here', services, tasks, nodes, configs: [] }, networks);
  const [service, ...others] = foundServices(all);
  expect(others).toEqual([]);
  return { service: service!, obstacle: obstacleOf(service!, new Set()) };
}
const volume = { mounts: [{ Type: 'volume', Name: 'data', Destination: '/data', RW: true }] };

describe('services of a Swarm', () => {
  it('are listed once, under their own name and id', () => {
    const { service, obstacle } = found({ local: 3, task: volume });
    expect([obstacle, service.name, service.containers[0].Id, foundReplicas(service)]).toEqual([
      undefined,
      'web',
      id,
      2,
    ]);
    expect(service.containers[0].NetworkSettings.Networks).toEqual({ inner: { Aliases: ['w'], IPAMConfig: null } });
    expect(swarmWarnings(service)).toEqual([]);
  });

  it('without volumes may be spread over nodes', () => {
    const { service, obstacle } = found({ on: ['here', 'there'] });
    expect([obstacle, swarmWarnings(service)]).toEqual([
      undefined,
      ['all of its replicas will run on this machine; now it also runs on there.example'],
    ]);
  });

  it.each<[string, Given]>([
    ['also runs on other nodes of the Swarm (there.example), which have data', { on: ['here', 'there'], task: volume }],
    ['run on other nodes of the Swarm (there.example)', { on: ['there'], local: 0 }],
    // A container of an earlier task is left.
    ['run on other nodes of the Swarm (there.example)', { on: ['there'], local: 1, task: volume }],
    ['scale it to 1 first', { on: [], local: 0, mode: { Replicated: { Replicas: 0 } } }],
    ['without a number of replicas', { mode: { Global: {} } }],
  ])('cannot be adopted: %s', (reason, given) => expect(found(given).obstacle).toContain(reason));

  it('are not known to a worker', () => {
    const labels = { 'com.docker.swarm.service.id': id, 'com.docker.swarm.task': 't' };
    const [task] = foundServices([testContainer('web.1', { config: { Labels: labels } })]);
    expect(obstacleOf(task!, new Set())).toContain('adopt it on a manager');
  });

  it('that belong to the platform itself cannot be adopted', () => {
    expect(found({ spec: { Name: 'captain-nginx' } }).obstacle).toBe('it is a part of caprover itself');
    expect(found({ spec: { Name: 'srv-captain--web' } }).obstacle).toBeUndefined();
  });
});
