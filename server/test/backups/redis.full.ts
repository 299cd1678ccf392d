import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backedUp, type DataServices, startDataServices } from '../rig/data-services.ts';
import { redisData } from '../rig/data-images.ts';
import { makeDebianImage, valkeyData } from '../rig/debian-image.ts';
import { type Docker, startDocker } from '../rig/docker.ts';
import { makeImage, node } from '../rig/docker-images.ts';
import { has } from '../rig/parts.ts';
import { until } from '../rig/until.ts';

/** Valkey accepts no double quote in an argument. */
const password = "pass$word'with`odd";
const inPlace = { to: 'in-place' } as const;

const settings = ['--requirepass', password, '--bind', '0.0.0.0'];
const appending = [...settings, '--appendonly', 'yes'];
const redis = { image: 'redis:7', client: 'redis-cli', isThere: has('redis') };
// It comes from packages of another Debian, as that suite's machine does.
const valkey = { image: valkeyData.name, client: 'valkey-cli', isThere: has('systemd') };
const kinds = [
  { ...redis, what: 'Redis with an RDB file', command: ['redis-server', ...settings] },
  { ...redis, what: 'Redis with an append-only file', command: ['redis-server', ...appending] },
  { ...valkey, what: 'Valkey with an append-only file', command: ['valkey-server', ...appending] },
].filter(({ isThere }) => isThere);

describe.each(kinds)('backups of $what', ({ image, client, command }) => {
  let docker: Docker;
  let shop: DataServices;
  const ref = { type: 'database', service: 'cache', engine: 'redis' } as const;
  const cli = (...args: string[]) =>
    shop.run('cache', [client, ...args], { REDISCLI_AUTH: password, VALKEYCLI_AUTH: password });

  beforeAll(async () => {
    docker = await startDocker();
    if (image === redis.image) await makeImage(docker.client, redisData());
    else await makeDebianImage(docker.client, valkeyData);
    await makeImage(docker.client, node);
    shop = await startDataServices(docker, [
      { name: 'cache', image, command, volumes: ['data:/data'] },
      { name: 'web', image: node.name, command: ['node', '-e', 'setInterval(() => {}, 1000)'] },
    ]);
    await until('it answers', () => cli('PING').catch(() => ''), 30_000);
    await cli('DEBUG', 'SLEEP', '0').catch(() => '');
    for (let i = 0; i < 50; i++)
      await cli('MSET', ...Array.from({ length: 40 }, (_, n) => [`key:${i}:${n}`, `value ${n}`]).flat());
  });
  afterAll(async () => {
    await shop?.close();
    await docker?.close();
  });

  it('includes every key that was set before, under write load, and proves it in a scratch container', async () => {
    expect((await shop.sources.resolve(shop.owner, 'all')).map((each) => each.ref)).toEqual([ref]);
    const load = new AbortController();
    const writer = (async () => {
      for (let i = 0; !load.signal.aborted; i++) await cli('RPUSH', 'load', String(i));
    })();
    await sleep(500);
    const length = Number(await cli('LLEN', 'load'));
    const archive = await backedUp(shop, ref);
    load.abort();
    await writer;
    const scratch = (query: string | null) =>
      shop.sources.restore(shop.owner, ref, archive.entries(), { to: 'scratch', query }, shop.call('job_s'));
    expect((await scratch(null)).proof).toEqual({ query: 'keys of each database', result: 'db0|2001' });
    expect(Number((await scratch('LLEN load')).proof.result)).toBeGreaterThanOrEqual(length);
    await expect(scratch('--eval x')).rejects.toMatchObject({ code: 'bad_query' });
    await shop.sources.removeScratch(shop.owner, 'job_s');
  });

  it('restores in place, also twice, and what is written later survives a restart', async () => {
    await cli('SET', 'before', 'kept');
    const archive = await backedUp(shop, ref);
    for (let times = 0; times < 2; times++) {
      await cli('FLUSHALL');
      await cli('SET', 'later', 'lost');
      const { place, proof } = await shop.sources.restore(
        shop.owner,
        ref,
        archive.entries(),
        inPlace,
        shop.call('job_i'),
      );
      expect([place, proof.result]).toEqual(['the service cache', 'db0|2002']);
    }
    expect([await cli('GET', 'before'), await cli('GET', 'later')]).toEqual(['kept', '']);
    expect(await shop.state('web')).toBe('running');
    await cli('SET', 'after', 'kept too');
    await shop.runtime.restart(shop.deploymentId, 'cache');
    await until('it answers again', async () => (await cli('PING').catch(() => '')) === 'PONG', 30_000);
    expect([await cli('GET', 'before'), await cli('GET', 'after'), await cli('DBSIZE')]).toEqual([
      'kept',
      'kept too',
      '2003',
    ]);
    const found = shop.sources.restore(
      shop.owner,
      ref,
      archive.entries(),
      { to: 'new', name: 'x' },
      shop.call('job_n'),
    );
    await expect(found).rejects.toMatchObject({ code: 'not_possible' });
  });
});
