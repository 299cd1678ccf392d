import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Docker } from '../rig/docker.ts';
import { ask, askAllTheTime, begin, ended, ensureProject, json, nodeApp } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { startHaproxy } from '../rig/haproxy.ts';
import { has } from '../rig/parts.ts';
import { replicaApp } from '../rig/replicas.ts';
import { shop } from '../rig/stack.ts';
import { startSwarmServers, type SwarmServers } from '../rig/swarm-servers.ts';
import { until } from '../rig/until.ts';

const lostMs = 25_000;

describe.runIf(has('docker') && has('sshd') && has('haproxy'))('a Swarm behind a balancer', () => {
  let rig: SwarmServers;
  beforeAll(async () => {
    rig = await startSwarmServers(3, 3);
    const { service, servers } = rig;
    for (const { id } of servers) await json(service.post(`/api/servers/${id}/test`, {}));
    const project = await ensureProject(service, 'first', { serverId: servers[0]!.id });
    const id = await begin(service, project, nodeApp('first'));
    expect((await ended(service, id, 240_000)).error).toBeNull();
  }, 400_000);
  afterAll(() => rig?.close());

  /** A machine without network: neither the Swarm nor Mooring nor visitors reach it. */
  const setPlugged = ({ namespace: { name, gateway } }: Docker, isOn: boolean) => {
    const inside = (...args: string[]) => execFileSync('ip', ['-netns', name, ...args]);
    inside('link', 'set', 'eth0', isOn ? 'up' : 'down');
    if (isOn) inside('route', 'add', 'default', 'via', gateway);
  };

  it('answers every read while nodes are lost and the network is cut', async () => {
    const { service, servers, swarm } = rig;
    const [one, two, three] = servers;
    const serverId = one!.id;
    const data = await ensureProject(service, 'shop', { serverId });
    const stack = await ended(service, await begin(service, data, shop()), 240_000);
    expect(stack.error).toBeNull();
    const project = await ensureProject(service, 'steady', { serverId, replicas: 3 });
    const first = await ended(service, await begin(service, project, replicaApp('v1')), 240_000);
    expect(first.error).toBeNull();
    const balancer = await startHaproxy([`http://${two!.address}:8080`, `http://${three!.address}:8080`], 'swarm.md');
    const url = new URL(first.urls[0]!);
    url.port = String(balancer.port);
    const asking = askAllTheTime(url.href, 3, '127.0.0.1');
    const deployed = async (version: string) => {
      const done = await ended(service, await begin(service, project, replicaApp(version)), 240_000);
      expect(done.error, version).toBeNull();
      return done;
    };
    const serves = async (address: string) => (await ask(first.urls[0]!, '/', 'GET', address)).status === 200;
    let answers = new Map<string, number>();
    type Info = { data: { containers: { state: string }[] } };
    const running = async (id: string) =>
      (await json<Info>(service.get(`/api/deployments/${id}/info`))).data.containers.filter(
        ({ state }) => state === 'running',
      ).length;
    try {
      // A worker in all but name: it is a manager that nobody talks to.
      swarm.setConnected(three!.docker, false);
      setPlugged(three!.docker, false);
      const second = await deployed('v2');
      await json(service.post(`/api/projects/${project}/scale`, { replicas: 2 }));
      await sleep(lostMs);
      setPlugged(three!.docker, true);
      swarm.setConnected(three!.docker, true);
      const { deployment_id: back } = await json<{ deployment_id: string }>(
        service.post(`/api/deployments/${first.id}/rollback`, {}),
      );
      expect((await ended(service, back, 120_000)).error).toBeNull();
      expect(second.status).toBe('ready');
      // Containers of a node that was cut off reach others only when Docker has told the nodes of each other again.
      const cutOff = Date.now();
      await until('its edge serves', () => serves(three!.address), 120_000);
      sayFigures('back', { afterMs: Date.now() - cutOff });
      // The Swarm is cut, while Mooring and visitors still reach the node.
      swarm.setConnected(two!.docker, false);
      await sleep(lostMs);
      const third = await deployed('v3');
      swarm.setConnected(two!.docker, true);
      await until('its edge serves', () => serves(two!.address), 120_000);
      await until('its replicas run', async () => (await running(third.id)) >= 2, 60_000);
      // The manager that Mooring deploys to.
      await one!.docker.stop('SIGKILL');
      await sleep(lostMs);
      await one!.docker.start();
      await deployed('v4');
      await sleep(2000);
    } finally {
      answers = await asking.stop();
      balancer.stop();
    }
    sayFigures('reads', { ...Object.fromEntries(answers), slowest: asking.slowest });
    expect([...answers.keys()].filter((answer) => !answer.startsWith('200 v'))).toEqual([]);
    expect([...answers.values()].reduce((sum, each) => sum + each, 0)).toBeGreaterThan(1000);
    // The engine that was killed has restarted the stack's services, and the volume is where it was.
    const again = await ended(service, await begin(service, data, shop({ api: 'v2' })), 240_000);
    expect(again.error).toBeNull();
  }, 900_000);
});
