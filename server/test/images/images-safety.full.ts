import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { busybox, makeImage } from '../rig/docker-images.ts';
import { has } from '../rig/parts.ts';
import { BuildRefusedError } from '../../src/drivers/images/errors.ts';
import { type ImagesEngine, imagesRig, newDeployment, startImagesEngine } from '../../src/drivers/images/images-rig.ts';

describe.runIf(has('docker'))('isolation of images', () => {
  let engine: ImagesEngine;
  beforeAll(async () => {
    engine = await startImagesEngine();
  });
  afterAll(() => engine?.close());

  it('a secret is available only in the step that mounts it', async () => {
    const secret = 'S3cr3t-d0-n0t-keep-7f3a';
    const hash = createHash('sha256').update(secret).digest('hex');
    const { build, lines } = imagesRig(engine.client);
    const dockerfile = [
      'FROM busybox',
      `RUN --mount=type=secret,id=TOKEN,required sha256sum /run/secrets/TOKEN | grep ${hash} > /a`,
      'RUN test ! -s /run/secrets/TOKEN && test -z "$TOKEN" && echo gone',
    ].join('\n');
    const { imageId } = await build(dockerfile, { secrets: { TOKEN: secret } });
    expect(lines).toContain('gone');
    expect(lines.join('\n')).not.toContain(secret);
    const image = await engine.get<object>(`/images/${imageId}/json`);
    const history = await engine.get<object>(`/images/${imageId}/history`);
    const cache = await engine.get<object>('/system/df');
    expect(JSON.stringify([image, history, cache])).not.toContain(secret);
    // The engine's whole disk: layers, cache, databases, logs.
    const folder = engine.address.replace('unix://', '').replace(/\/docker\.sock$/, '');
    const filesWith = (text: string) =>
      spawnSync('grep', ['-rlF', '--', text, folder], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
    expect(filesWith(secret)).toEqual([]);
    expect(filesWith(hash)).not.toEqual([]);
    await expect(
      build('FROM busybox\nRUN --mount=type=secret,id=OTHER,required true', { secrets: { TOKEN: secret } }),
    ).rejects.toThrow(/OTHER/);
  });

  it('an image of another organization cannot be a base image', async () => {
    const { build, images } = imagesRig(engine.client);
    const victim = await build('FROM busybox\nRUN echo private > /private', {
      owner: { organizationId: 'org_victim', service: 'web' },
    });
    const id = victim.imageId.replace('sha256:', '');
    await makeImage(engine.client, {
      ...busybox,
      name: 'trap:1',
      changes: [`ONBUILD COPY --from=${victim.image} /private /`],
    });
    const [name, tag] = victim.image.split(':') as [string, string];
    const ways = [
      `FROM ${victim.image}`,
      `FROM docker.io/${victim.image} AS x`,
      `ARG A=${name}\nARG B=nothing\nFROM $A:\${B}`,
      `FROM \\\n  ${victim.image}`,
      `FROM busybox\nCOPY --from=${victim.image} /private /`,
      `FROM busybox\nRUN --mount=type=bind,from=${victim.image},target=/v cat /v/private`,
      'FROM trap:1',
      'FROM busybox AS a\nFROM trap:1 AS b\nFROM a\nCOPY --from=b / /x',
      `FROM ${id}`,
      `FROM ${id.slice(0, 12)}`,
      `FROM sha256:${id}`,
      // Builders disagree on which part of this is text.
      `FROM busybox\nRUN echo <<CMD\nFROM ${victim.image}\nCMD`,
      `FROM busybox\nRUN echo " <<CMD"\nCOPY --from=${victim.image} /private /\nCMD`,
      `FROM busybox\nRUN echo \\\n\uFEFF\nCOPY --from=${victim.image} /private /`,
    ];
    for (const way of ways) await expect(build(way, { args: { B: tag } }), way).rejects.toThrow(BuildRefusedError);
    // The same organization is allowed to.
    const own = await build(`FROM ${victim.image}\nRUN cat /private`, { owner: { organizationId: 'org_victim' } });
    for (const { image } of [own, victim]) expect(await images.remove(image)).toBe('removed');
  });

  it("a step's build cache is visible only to its project", async () => {
    const { build } = imagesRig(engine.client);
    const look = async (owner: object) => {
      const print = `FROM busybox\nRUN --mount=type=cache,target=/c,id=shared ls /c > /before; echo ${newDeployment()} >> /c/x`;
      return engine.run((await build(print, { owner })).imageId, ['cat', '/before']);
    };
    expect(await look({ projectId: 'prj_a' })).toBe('');
    expect(await look({ projectId: 'prj_a' })).toBe('x\n');
    expect(await look({ projectId: 'prj_b' })).toBe('');
    expect(await look({ projectId: 'prj_a', organizationId: 'org_2' })).toBe('');
  });

  it('a build is confined', async () => {
    const { build, lines } = imagesRig(engine.client);
    await build(
      'FROM busybox\nRUN ls /sys/class/net; grep CapEff /proc/self/status; ls /var/run/docker.sock /dev/kmsg 2>&1; mount -t tmpfs x /tmp 2>&1; true',
    );
    const printed = lines.join('\n');
    expect(printed).toMatch(/^eth0$/m);
    expect(printed).not.toContain(engine.namespace.name);
    expect(printed).toMatch(/docker.sock: No such file/);
    expect(printed).toMatch(/mount: .*(denied|not permitted)/);
    expect(BigInt(`0x${/CapEff:\s*([0-9a-f]+)/.exec(printed)![1]}`) & (1n << 21n)).toBe(0n);
    for (const flag of ['--network=host', '--security=insecure'])
      await expect(build(`FROM busybox\nRUN ${flag} true`)).rejects.toThrow(/flag|not allowed/i);
    await expect(build('FROM busybox\nRUN --mount=type=ssh,required true')).rejects.toThrow(/SSH/);
  });

  it('build arguments are available to all builds, and in no history', async () => {
    const proxy = { HTTP_PROXY: 'http://user:proxy-word@10.0.0.1:3128', no_proxy: 'localhost' };
    const { build, lines } = imagesRig(engine.client, { buildArgs: proxy });
    const { imageId } = await build('FROM busybox\nRUN echo "[$HTTP_PROXY] [$no_proxy]" | wc -c', { cache: false });
    expect(lines).toContain(String(`[${proxy.HTTP_PROXY}] [${proxy.no_proxy}]\n`.length));
    const seen = [await engine.get(`/images/${imageId}/json`), await engine.get(`/images/${imageId}/history`)];
    expect(JSON.stringify(seen)).not.toContain('proxy-word');
  });

  it('only our own images are removed, by label, instance and name', async () => {
    const { build, images } = imagesRig(engine.client);
    const stranger = imagesRig(engine.client, { instanceId: 'ins_stranger' });
    const foreign = await stranger.build('FROM busybox', { owner: { instanceId: 'ins_stranger' } });
    const ours = await build('FROM busybox\nRUN echo ours > /x');
    // A person's image based on ours has its labels too.
    const { Id: container } = await engine.post<{ Id: string }>('/containers/create', {
      Image: ours.imageId,
      Cmd: ['true'],
    });
    await engine.post(`/commit?container=${container}&repo=people&tag=1`);
    await engine.post(`/images/busybox/tag?repo=mooring/prj_1&tag=fake`);
    const seen = (await images.list()).map(({ image }) => image);
    expect(seen).toContain(ours.image);
    for (const other of ['people:1', foreign.image, 'mooring/prj_1:fake', 'busybox:latest']) {
      expect(seen).not.toContain(other);
      expect(await images.remove(other)).toBe('not_ours');
      await engine.get(`/images/${other}/json`);
    }
    expect(await images.remove(ours.image)).toBe('in_use');
    await engine.get(`/images/${ours.image}/json`);
    await engine.client.json({ method: 'DELETE', path: `/containers/${container}` });
    expect(await images.remove(ours.image)).toBe('removed');
    await engine.get('/images/people:1/json');
    expect(await stranger.images.remove(foreign.image)).toBe('removed');
  });

  it('an image that is removed concurrently is gone, and no removal fails', async () => {
    const { build, images } = imagesRig(engine.client);
    for (let round = 0; round < 12; round++) {
      const { image, imageId } = await build(`FROM busybox\nRUN head -c 200000 /dev/urandom > /x # ${round}`);
      const both = () => [images.remove(image), images.removeNameless(imageId)];
      const ends = await Promise.all(Array.from({ length: 6 }, both).flat());
      expect(ends).toContain('removed');
      // It may be visible in between, after its name is gone.
      expect(ends.filter((end) => !['removed', 'absent', 'in_use', 'not_ours'].includes(end))).toEqual([]);
      expect(await images.find(imageId)).toBeUndefined();
    }
  });

  it('only the cache of our builds is pruned', async () => {
    const folder = newFolder('images');
    const { build, images } = imagesRig(engine.client, { folder });
    const stranger = imagesRig(engine.client, { instanceId: 'ins_stranger' });
    const step = (size: number, name: string) => `FROM busybox\nRUN head -c ${size} /dev/urandom > /x # ${name}`;
    const theirs = step(3_000_000, 'theirs');
    await stranger.build(theirs, { owner: { instanceId: 'ins_stranger' } });
    const dockerfile = (name: string) => `${step(2_000_000, name)}\nFROM busybox\nCOPY --from=0 /x /y`;
    await images.remove((await build(dockerfile('old'))).image);
    await images.remove((await build(dockerfile('new'))).image);
    const before = await images.prune(1e9);
    expect(before.freedBytes).toBe(0);
    expect(before.keptBytes).toBeGreaterThan(7_500_000);
    expect(before.keptBytes).toBeLessThan(8_500_000);
    const some = await images.prune(5_000_000);
    expect(some.keptBytes).toBeLessThanOrEqual(5_000_000);
    expect(some.freedBytes + some.keptBytes).toBe(before.keptBytes);
    const rebuilt = imagesRig(engine.client, { folder });
    await rebuilt.build(dockerfile('new'));
    expect(rebuilt.lines.filter((line) => line.includes('RUN') && line.endsWith('(cached)'))).toHaveLength(1);
    await rebuilt.build(dockerfile('old'));
    expect(rebuilt.lines.filter((line) => line.includes('RUN') && line.endsWith('(cached)'))).toEqual([]);
    expect((await images.prune(0)).keptBytes).toBe(0);
    await stranger.build(theirs, { owner: { instanceId: 'ins_stranger' } });
    expect(stranger.lines.filter((line) => line.includes('RUN') && line.endsWith('(cached)'))).toHaveLength(1);
    await engine.get('/images/busybox/json');
  });
});
