import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { has } from '../../../../../test/rig/parts.ts';
import { node } from '../../../../../test/rig/docker-images.ts';
import { type RuntimeEngine, startRuntimeEngine } from '../docker-rig.ts';
import { createOriginals, type OriginalContainers, type OriginalState } from './originals.ts';

describe.runIf(has('docker'))('containers that existed before Mooring', () => {
  let engine: RuntimeEngine;
  let originals: OriginalContainers;
  beforeAll(async () => {
    engine = await startRuntimeEngine();
    originals = createOriginals(engine.client);
  });
  afterAll(() => engine?.close());

  // SIGKILL, because process 1 ignores signals that it does not handle.
  const run = async (name: string, RestartPolicy: object, more: object = { StopSignal: 'SIGKILL' }) => {
    const Cmd = ['node', '-e', 'setInterval(() => {}, 1000)'];
    const body = { Image: node.name, Cmd, HostConfig: { RestartPolicy }, ...more };
    const { Id } = await engine.post<{ Id: string }>(`/containers/create?name=${name}`, body);
    await engine.post(`/containers/${Id}/start`);
    return Id;
  };
  const way = async (id: string): Promise<OriginalState> => {
    const { state, restartPolicy } = (await originals.look(id))!;
    return { state, restartPolicy };
  };
  const no = { name: 'no', maximumRetryCount: 0 };

  it('are stopped and restored as they were, idempotently', async () => {
    const policies = [
      { Name: 'always' },
      { Name: 'unless-stopped' },
      { Name: 'on-failure', MaximumRetryCount: 4 },
      { Name: 'no' },
    ];
    for (const [i, policy] of policies.entries()) {
      const id = await run(`one-${i}`, policy);
      const before = await way(id);
      expect(before).toMatchObject({ state: 'running', restartPolicy: { name: policy.Name } });
      for (let times = 0; times < 2; times++) {
        await originals.holdBack(id);
        expect(await way(id)).toEqual({ state: 'stopped', restartPolicy: no });
      }
      for (let times = 0; times < 2; times++) {
        expect(await originals.bringBack(id, before)).toBe(true);
        expect(await way(id)).toEqual(before);
      }
    }
  });

  it('that were stopped or paused are so again', async () => {
    const id = await run('paused', { Name: 'always' });
    await engine.post(`/containers/${id}/pause`);
    const before = await way(id);
    expect(before.state).toBe('paused');
    await originals.holdBack(id);
    expect(await way(id)).toEqual({ state: 'stopped', restartPolicy: no });
    await originals.bringBack(id, before);
    expect(await way(id)).toEqual(before);
    // A paused container cannot be killed.
    await engine.post(`/containers/${id}/unpause`);
    const stopped = await run('stopped', { Name: 'unless-stopped' });
    await engine.post(`/containers/${stopped}/stop`);
    const still = await way(stopped);
    await originals.holdBack(stopped);
    await originals.bringBack(stopped, still);
    expect(await way(stopped)).toEqual({ state: 'stopped', restartPolicy: { ...no, name: 'unless-stopped' } });
  });

  it('get their own stop timeout, and are gone once removed', async () => {
    const id = await run('hasty', { Name: 'always' }, { StopTimeout: 1 });
    const begun = Date.now();
    await originals.holdBack(id);
    const tookMs = Date.now() - begun;
    expect(tookMs).toBeGreaterThan(900);
    expect(tookMs).toBeLessThan(8000);
    await originals.remove(id);
    await originals.remove(id);
    expect(await originals.look(id)).toBeUndefined();
    await originals.holdBack(id);
    expect(await originals.bringBack(id, { state: 'running', restartPolicy: no })).toBe(false);
  });

  it('are restored even if their network was pruned meanwhile', async () => {
    await engine.post('/networks/create', { Name: 'shop_default' });
    const id = await run(
      'shop-db-1',
      { Name: 'always' },
      {
        StopSignal: 'SIGKILL',
        Labels: { 'com.docker.compose.project': 'shop' },
        NetworkingConfig: { EndpointsConfig: { shop_default: { Aliases: ['db'] } } },
        HostConfig: { NetworkMode: 'shop_default', RestartPolicy: { Name: 'always' } },
      },
    );
    const before = await way(id);
    await originals.holdBack(id);
    await engine.post('/networks/prune');
    const mended: string[] = [];
    expect(await originals.bringBack(id, before, (network) => mended.push(network))).toBe(true);
    expect([await way(id), mended]).toEqual([before, ['shop_default']]);
    type Info = { NetworkSettings: { Networks: Record<string, { Aliases: string[]; IPAddress: string }> } };
    const { NetworkSettings } = await engine.client.json<Info>({ method: 'GET', path: `/containers/${id}/json` });
    expect(Object.keys(NetworkSettings.Networks)).toEqual(['shop_default']);
    expect(NetworkSettings.Networks['shop_default']).toMatchObject({
      Aliases: expect.arrayContaining(['db']) as string[],
      IPAddress: expect.stringMatching(/\d/) as string,
    });
    const network = await engine.client.json({ method: 'GET', path: '/networks/shop_default' });
    expect(network).toMatchObject({ Labels: { 'com.docker.compose.network': 'default' } });
    await originals.holdBack(id);
    await originals.bringBack(id, before, (again) => mended.push(again));
    expect(mended).toHaveLength(1);
    await originals.holdBack(id);
  });

  it('can be joined by one of ours under their names, and left again', async () => {
    const call = (method: 'GET' | 'POST', path: string, body?: object) =>
      engine.client.json<{ NetworkSettings: { Networks: Record<string, { Aliases: string[] }> } }>({
        method,
        path,
        ...(body && { body }),
      });
    await call('POST', '/networks/create', { Name: 'beside' });
    const id = await run('beside-one', { Name: 'no' });
    const names = async () =>
      (await call('GET', `/containers/${id}/json`)).NetworkSettings.Networks['beside']?.Aliases?.filter(
        (name) => !id.startsWith(name),
      );
    for (const wanted of [[], ['db', 'shop-db-1'], ['db', 'shop-db-1'], ['db']]) {
      expect(await originals.join(id, 'beside', wanted)).toBe(true);
      expect(await names()).toEqual(wanted);
    }
    for (let times = 0; times < 2; times++) await originals.leave(id, 'beside');
    expect(await names()).toBeUndefined();
    expect([await originals.join(id, 'absent', ['db']), await originals.join('absent', 'beside', ['db'])]).toEqual([
      false,
      false,
    ]);
    await originals.leave('absent', 'beside');
  });
});
