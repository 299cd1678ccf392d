import { createReadStream, createWriteStream, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuildFailedError } from '../../src/drivers/images/errors.ts';
import { contextFolder, type ImagesEngine, imagesRig, startImagesEngine } from '../../src/drivers/images/images-rig.ts';
import { has } from '../rig/parts.ts';
import { until } from '../rig/until.ts';

describe.runIf(has('docker'))('images, full tests', () => {
  let engine: ImagesEngine;
  beforeAll(async () => {
    engine = await startImagesEngine();
  });
  afterAll(() => engine?.close());

  it('a hanging engine delays neither a cancel nor a timeout', async () => {
    const { build, lines } = imagesRig(engine.client);
    const cancel = new AbortController();
    const cancelled = expect(
      build('FROM busybox\nRUN echo started; sleep 5', {}, { signal: cancel.signal }),
    ).rejects.toThrow('enough');
    await until('it has begun', () => lines.includes('started'));
    process.kill(engine.pid(), 'SIGSTOP');
    try {
      const began = Date.now();
      cancel.abort(new Error('enough'));
      const late = imagesRig(engine.client).build('FROM busybox', {}, { deadlineMs: 500 });
      await Promise.all([cancelled, expect(late).rejects.toThrow('took longer than 0.5 s')]);
      expect(Date.now() - began).toBeLessThan(10_000);
    } finally {
      process.kill(engine.pid(), 'SIGCONT');
    }
    await build('FROM busybox\nRUN echo it goes on');
  });

  it('a large context needs no memory', async () => {
    const context = contextFolder({});
    const bytes = 600e6;
    await pipeline(createReadStream('/dev/urandom', { end: bytes - 1 }), createWriteStream(join(context, 'large')));
    for (let i = 0; i < 5_000; i++) writeFileSync(join(context, `small-${i}`), String(i));
    const { build, lines } = imagesRig(engine.client);
    const before = process.memoryUsage().rss;
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
    await build('FROM busybox\nCOPY . /x\nRUN wc -c /x/large; ls /x | wc -l', { context }, { deadlineMs: 300_000 });
    clearInterval(watch);
    rmSync(context, { recursive: true });
    expect(lines).toEqual(expect.arrayContaining([`${bytes} /x/large`, '5001']));
    expect(most - before).toBeLessThan(150e6);
  }, 300_000);

  it('ten concurrent builds complete, each with its own result', async () => {
    const built = await Promise.all(
      Array.from({ length: 10 }, async (_, i) => {
        const { build, lines } = imagesRig(engine.client);
        const { imageId } = await build(`FROM busybox\nCOPY f /f\nRUN echo number ${i}; cat /f`, {
          files: { f: `file ${i}\n` },
        });
        expect(lines.filter((line) => /^(number|file) /.test(line))).toEqual([`number ${i}`, `file ${i}`]);
        return imageId;
      }),
    );
    expect(new Set(built).size).toBe(10);
  });
});

describe.runIf(has('docker'))('images on a small disk', () => {
  let engine: ImagesEngine;
  beforeAll(async () => {
    engine = await startImagesEngine([], 100e6);
  });
  afterAll(() => engine?.close());

  it('a full disk is reported as such, and the engine builds again afterwards', async () => {
    const { build, images } = imagesRig(engine.client);
    const small = await build('FROM busybox\nRUN echo small > /small');
    const fill = 'head -c 200000000 /dev/zero | tr "\\0" x > /big';
    const inStep = await build(`FROM busybox\nRUN ${fill}`).catch((error: unknown) => error);
    expect(inStep).toBeInstanceOf(BuildFailedError);
    expect(inStep).toMatchObject({ diskFull: true });
    // A file that fits in a step may be too large for the image, and the context for the engine.
    for (const dockerfile of [
      'FROM busybox\nRUN dd if=/dev/urandom of=/a bs=1M count=60\nRUN cp /a /b',
      'FROM busybox\nCOPY . /x',
    ]) {
      const context = contextFolder({});
      writeFileSync(join(context, 'large'), Buffer.alloc(dockerfile.includes('COPY') ? 150e6 : 1));
      const error = await build(dockerfile, { context, cache: false }).catch((each: unknown) => each);
      expect((error as Error).message).toMatch(/no space left on device/i);
      expect(error).toMatchObject({ diskFull: true });
      await images.prune(0);
    }
    expect(await engine.containers()).toEqual([]);
    expect(await images.find(small.imageId)).toBeDefined();
    // The engine frees the space a moment later.
    const again = await until('it builds again', () => build('FROM busybox\nRUN echo again > /again'), 30_000);
    expect(await engine.run(again.imageId, ['cat', '/again'])).toBe('again\n');
  });
});
