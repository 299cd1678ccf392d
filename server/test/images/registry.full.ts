import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busybox, makeImage } from '../rig/docker-images.ts';
import { has } from '../rig/parts.ts';
import { type Registry, startRegistry } from '../rig/registry.ts';
import { stackRig } from '../rig/service-images.ts';
import { BuildFailedError, PullFailedError } from '../../src/drivers/images/errors.ts';
import { type ImagesEngine, imagesRig, startImagesEngine } from '../../src/drivers/images/images-rig.ts';
import { registryAuthHeader } from '../../src/drivers/images/references.ts';

describe.runIf(has('docker') && has('registry'))('registry images', () => {
  let engine: ImagesEngine;
  beforeAll(async () => {
    engine = await startImagesEngine();
  });
  afterAll(() => engine?.close());

  const push = async ({ address, credential }: Registry, path: string) => {
    const name = `${address}/${path}`;
    await makeImage(engine.client, { ...busybox, name: `${path}:1`, files: { 'unlike-others': `${Math.random()}` } });
    await engine.post(`/images/${path}:1/tag?repo=${name}&tag=1`);
    const headers = registryAuthHeader(credential);
    const answer = await engine.client.open({
      method: 'POST',
      path: `/images/${name}/push`,
      query: { tag: '1' },
      headers,
    });
    expect(Buffer.concat(await answer.toArray()).toString()).not.toContain('"error"');
    for (const each of [name, path]) await engine.client.json({ method: 'DELETE', path: `/images/${each}:1` });
    return `${name}:1`;
  };

  it.each(['basic', 'token'] as const)('are pulled and built from with a password (%s)', async (auth) => {
    const registry = await startRegistry(engine.namespace, auth);
    try {
      const base = await push(registry, 'team/base');
      const { images, build, lines } = imagesRig(engine.client);
      const wrong = { ...registry.credential, password: 'wrong horse' };
      const elsewhere = { ...registry.credential, registry: 'registry.example.com' };
      const pull = (...credentials: (typeof wrong)[]) =>
        images.pull(base, credentials, {
          signal: AbortSignal.timeout(30_000),
          deadlineMs: 30_000,
          onLine: (line) => lines.push(line),
        });
      for (const credentials of [[], [wrong], [elsewhere]])
        await expect(pull(...credentials)).rejects.toThrow(PullFailedError);

      // BuildKit requests the password for this build only, and leaves no image for others to build from.
      const dockerfile = `FROM ${base}\nRUN echo from a registry > /x`;
      const built = await build(dockerfile, { credentials: [elsewhere, registry.credential] });
      expect(await engine.run(built.imageId, ['cat', '/x'])).toBe('from a registry\n');
      for (const credentials of [[], [wrong], [elsewhere]])
        await expect(build(dockerfile, { credentials, owner: { organizationId: 'org_2' } })).rejects.toThrow(
          BuildFailedError,
        );
      await expect(engine.get(`/images/${base}/json`)).rejects.toThrow(/no such image/i);

      // The downloaded layers are removed with the cache.
      const layers = async () => (await engine.get<{ LayersSize: number }>('/system/df')).LayersSize;
      const before = await layers();
      await images.remove(built.image);
      await images.prune(0);
      expect(before - (await layers())).toBeGreaterThan(1_800_000);

      const pulled = await pull(elsewhere, registry.credential);
      expect(pulled.digest).toMatch(new RegExp(`^${registry.address}/team/base@sha256:[0-9a-f]{64}$`));
      expect(pulled).toMatchObject((await images.find(pulled.imageId))!);
      expect(
        (
          await images.pull(pulled.digest!, [registry.credential], {
            signal: AbortSignal.timeout(9_000),
            deadlineMs: 9_000,
            onLine: () => {},
          })
        ).imageId,
      ).toBe(pulled.imageId);
      expect(lines.join('\n')).not.toMatch(/horse/);
      // A base image is not ours to remove.
      expect(await images.remove(base)).toBe('not_ours');
    } finally {
      await registry.stop();
    }
  });

  it('of services are pulled if missing, always or never', async () => {
    const registry = await startRegistry(engine.namespace, 'basic');
    try {
      const image = await push(registry, 'team/service');
      const { images } = imagesRig(engine.client);
      const compose = ['missing', 'always', 'never'].map(
        (policy) => `  ${policy}: {image: "${image}", pull_policy: ${policy}}`,
      );
      const files = { 'compose.yaml': `services:\n${compose.join('\n')}` };
      const logins = [registry.credential];
      const stack = await stackRig(images, files, { logins });
      await expect(stack.make('never')).rejects.toMatchObject({ code: 'pull_failed' });
      const without = await stackRig(images, files);
      const refused = (await without.make('missing').catch((error: unknown) => error)) as Error & { hint: string };
      expect(refused).toMatchObject({ code: 'pull_failed' });
      expect(refused.hint).toContain('add a login for its registry');
      const pulled = await stack.make('missing');
      expect(pulled).toMatchObject({ image, isOwn: false, imageId: (await images.findByName(image))!.imageId });
      expect(stack.lines['missing']!.join('\n')).toContain(`Pulling ${image}`);
      // It exists by now: only `always` contacts the registry.
      for (const policy of ['never', 'missing']) expect(await without.make(policy)).toEqual(pulled);
      await expect(without.make('always')).rejects.toMatchObject({ code: 'pull_failed' });
      expect(await stack.make('always')).toEqual(pulled);
      expect(JSON.stringify([stack.lines, without.lines])).not.toContain('horse');
    } finally {
      await registry.stop();
    }
  });

  it('report a registry that does not respond, and a pull can be cancelled', async () => {
    const { images } = imagesRig(engine.client);
    const options = (signal = AbortSignal.timeout(30_000)) => ({ signal, deadlineMs: 20_000, onLine: () => {} });
    await expect(images.pull(`${engine.namespace.gateway}:1/x`, [], options())).rejects.toThrow(/refused/);
    for (const name of ['', '-x', 'a b', '../x', 'a;b', 'x'.repeat(600)])
      await expect(images.pull(name, [], options())).rejects.toThrow(/not an image name/);
    // 192.0.2.0/24 is unroutable.
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(new Error('enough')), 300);
    await expect(images.pull('192.0.2.1:5000/x', [], options(cancel.signal))).rejects.toThrow('enough');
    await expect(images.pull('192.0.2.1:5000/x', [], { ...options(), deadlineMs: 300 })).rejects.toThrow('took longer');
  });
});
