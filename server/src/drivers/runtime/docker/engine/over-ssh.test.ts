import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Docker, startDocker } from '../../../../../test/rig/docker.ts';
import { type EngineDoor, engineDoor } from '../../../../../test/rig/engine-over-ssh.ts';
import { has } from '../../../../../test/rig/parts.ts';
import { EngineAwayError } from '../../errors.ts';
import { EngineClient } from './client.ts';

describe.runIf(has('docker') && has('sshd'))('engine over SSH', () => {
  let docker: Docker;
  let door: EngineDoor;
  let client: EngineClient;
  beforeAll(async () => {
    docker = await startDocker();
    door = await engineDoor(docker.address);
    client = new EngineClient(door.connect);
  });
  afterAll(async () => {
    client?.close();
    await door?.close();
    await docker?.close();
  });
  const info = () => client.json<{ ID: string }>({ method: 'GET', path: '/info' });

  it('responds as on its own machine, also to concurrent calls', async () => {
    const { ID } = await docker.client.json<{ ID: string }>({ method: 'GET', path: '/info' });
    const answers = await Promise.all(Array.from({ length: 30 }, info));
    expect(new Set(answers.map((each) => each.ID))).toEqual(new Set([ID]));
    await expect(client.json({ method: 'GET', path: '/containers/none/json' })).rejects.toMatchObject({ status: 404 });
  });

  it('accepts request bodies and streams its responses', async () => {
    const events = await client.open({ method: 'GET', path: '/events' });
    onTestFinished(() => void events.destroy());
    const name = `volume-${Date.now()}`;
    await client.json({ method: 'POST', path: '/volumes/create', body: { Name: name } });
    for await (const chunk of events as AsyncIterable<Buffer>) {
      expect(chunk.toString()).toContain(name);
      break;
    }
    await client.json({ method: 'DELETE', path: `/volumes/${name}` });
  });

  it('is unreachable while the connection is lost, and reachable with the next call', async () => {
    const events = await client.open({ method: 'GET', path: '/events' });
    const broken = expect(events.toArray()).rejects.toThrow();
    door.cut();
    await broken;
    await expect(info()).resolves.toHaveProperty('ID');
  });

  it('is unreachable without a socket or without a connection to the server', async () => {
    const nowhere = await engineDoor('unix:///nowhere/docker.sock');
    const other = new EngineClient(nowhere.connect);
    onTestFinished(() => other.close());
    await expect(other.ping()).rejects.toThrow(EngineAwayError);
    await nowhere.close();
    await expect(other.ping()).rejects.toThrow(EngineAwayError);
  });
});
