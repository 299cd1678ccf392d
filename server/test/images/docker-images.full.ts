import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { has } from '../rig/parts.ts';
import { buildContract } from '../../src/drivers/images/build-contract.ts';
import { composeContract } from '../../src/drivers/images/compose-contract.ts';
import { BuildRefusedError } from '../../src/drivers/images/errors.ts';
import { type ImagesEngine, imagesRig, startImagesEngine } from '../../src/drivers/images/images-rig.ts';
import type { BuildRequest } from '../../src/drivers/images/images.ts';
import { newFolder } from '../rig/children.ts';

describe.runIf(has('docker'))('images', () => {
  let engine: ImagesEngine;
  beforeAll(async () => {
    engine = await startImagesEngine();
  });
  afterAll(() => engine?.close());

  buildContract(() => engine);
  composeContract(() => engine);

  it('copies a folder out of an image, but only files, folders and harmless symlinks', async () => {
    const { build, images } = imagesRig(engine.client);
    const { imageId } = await build(
      [
        'FROM busybox',
        'RUN mkdir -p /site/a /bad/dev /bad/link /bad/up /big /deep && echo hi > /site/a/index.html && ln -s a/index.html /site/first',
        'RUN mknod /bad/dev/null c 1 3; ln -s /etc/passwd /bad/link/x; ln -s ../../../etc/passwd /bad/up/x; mkfifo /deep/pipe',
        'RUN truncate -s 30M /big/file; chmod 4755 /site/a/index.html',
        'VOLUME /data',
      ].join('\n'),
    );
    const folder = join(newFolder('copied'), 'site');
    expect(await images.copyOut(imageId, '/site/', folder)).toEqual({ files: 2, bytes: 3 });
    expect(readdirSync(folder)).toEqual(['a', 'first']);
    expect(readFileSync(join(folder, 'first'), 'utf8')).toBe('hi\n');
    const empty = () => newFolder('empty');
    for (const [path, why] of [
      ['/bad/dev', 'device'],
      ['/deep', 'pipe'],
      ['/bad/link', 'leads outside'],
      ['/bad/up', 'leads outside'],
      ['/big', 'more than'],
      ['/none', 'no folder'],
      ['/etc/passwd', ''],
      ['/proc/self', ''],
    ] as const) {
      const into = empty();
      await expect(images.copyOut(imageId, path, into, { entries: 1000, bytes: 2e7 }), path).rejects.toThrow(why);
      expect(readdirSync(into)).toEqual([]);
    }
    await expect(images.copyOut(imageId, '/bin', empty(), { entries: 5, bytes: 2 ** 30 })).rejects.toThrow(
      'more than 5',
    );
    const filled = empty();
    mkdirSync(join(filled, 'x'));
    await expect(images.copyOut(imageId, '/site', filled)).rejects.toThrow('not empty');
    expect(await engine.containers()).toEqual([]);
    expect((await engine.get<{ Volumes: object[] | null }>('/volumes')).Volumes ?? []).toEqual([]);
  });

  it('treats strange words as literals', async () => {
    const { build, images } = imagesRig(engine.client);
    const strange = 'a b;$(touch /x)`id`"\'\\\n&|<>?#%00=é💥 --privileged';
    const { imageId, image } = await build('FROM busybox\nARG A\nENV B="$A"\nRUN test ! -e /x', {
      args: { A: strange },
      labels: { 'x.y': strange },
      owner: { service: strange, deploymentId: 'dep_$(id)', projectId: '../prj' },
    });
    expect(image).toMatch(/^mooring\/[0-9a-f]{32}:[0-9a-f]{32}$/);
    const { Config } = await engine.get<{ Config: { Env: string[]; Labels: object } }>(`/images/${imageId}/json`);
    expect(Config.Env).toContain(`B=${strange}`);
    expect(Config.Labels).toMatchObject({ 'x.y': strange, 'mooring.service': strange });
    expect(await images.remove(image)).toBe('removed');
    const changes: Partial<BuildRequest>[] = [
      { args: { 'A=B': '' } },
      { args: { 'A\n': '' } },
      { args: { BUILDKIT_SYNTAX: 'evil/frontend' } },
      { args: { buildkit_cache_mount_ns: 'x' } },
      { args: { A: 'a\0b' } },
      { args: { A: 'x'.repeat(300_000) } },
      { labels: { 'mooring.instance': 'x' } },
      { labels: { 'a b': 'x' } },
      { secrets: { '../x': 'x' } },
      { target: strange },
    ];
    for (const { owner: _, ...change } of changes)
      await expect(build('FROM busybox', change), JSON.stringify(change).slice(0, 80)).rejects.toThrow(
        BuildRefusedError,
      );
    expect(await images.find('sha256:../../x')).toBeUndefined();
    for (const name of ['busybox', 'a?b', '../x', '', 'sha256:00'])
      expect(await images.remove(name)).not.toBe('removed');
  });
});
