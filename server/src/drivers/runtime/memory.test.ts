import { describe, expect, it } from 'vitest';
import { createMemoryRuntime } from './memory.ts';
import type { ImageRelease, ServiceOptions } from './runtime.ts';
import { severalRuntimes } from './several-runtimes.ts';

const stack = 'prj_1/production';
function release(service: string, deploymentId: string, isNamedAtOnce: boolean): ImageRelease {
  const owner = { instanceId: 'i', organizationId: 'o', projectId: 'prj_1', deploymentId, service, fence: 1 };
  const volume = { name: 'data', externalName: null, driver: null, driverOptions: {}, labels: {} };
  const mount = { type: 'volume', target: '/data', isReadOnly: false, subpath: null, isCopied: true, volume } as const;
  const options = { stack, isNamedAtOnce, mounts: [mount] } as unknown as ServiceOptions;
  const image = { kind: 'image', image: 'x', imageId: 'sha256:1', listensOn: 80, env: {}, secretKeys: [] } as const;
  return { ...image, secretKeys: [], owner, service: options };
}

describe('memory runtime', () => {
  it('tracks services, their names and their volumes', async () => {
    const runtime = createMemoryRuntime();
    for (const service of ['web', 'api']) await runtime.start(release(service, 'dep_1', true));
    await runtime.start(release('api', 'dep_2', false));
    expect(runtime.named.get(`${stack} api`)).toBe('dep_1');
    await runtime.promote('dep_2', 'api');
    expect([...runtime.named]).toEqual([
      [`${stack} web`, 'dep_1'],
      [`${stack} api`, 'dep_2'],
    ]);
    await runtime.stop('dep_1', 0, 'api');
    expect(await runtime.find('dep_1', 'api')).toMatchObject({ state: 'exited' });
    expect(await runtime.find('dep_1', 'web')).toMatchObject({ state: 'running' });
    runtime.say('dep_1', 'web', 'hello');
    expect(await runtime.logs('dep_1', {})).toMatchObject([{ line: 'hello', service: 'web' }]);
    await runtime.remove('dep_1');
    expect(await runtime.list()).toHaveLength(1);
    expect(await runtime.volumes({ stack })).toMatchObject([{ name: 'data', stack, service: null }]);
    expect(await runtime.removeVolumes({ projectId: 'prj_1' })).toHaveLength(1);
  });

  it('fails to start, or is unhealthy, when a test says so', async () => {
    const runtime = createMemoryRuntime({
      onStart({ owner }) {
        if (owner.service === 'web') throw new Error('no');
        return { health: 'unhealthy' };
      },
    });
    await expect(runtime.start(release('web', 'dep_1', true))).rejects.toThrow('no');
    expect(await runtime.start(release('api', 'dep_1', true))).toMatchObject({ health: 'unhealthy' });
    expect(await runtime.find('dep_1', 'web')).toBeUndefined();
  });
});

describe('several runtimes', () => {
  it('find a service, or a stack without an app, where it runs', async () => {
    const images = createMemoryRuntime();
    const several = severalRuntimes({ folder: createMemoryRuntime(), image: images });
    for (const service of ['web', 'api']) await several.start(release(service, 'dep_1', true));
    const states = async () => (await images.list()).map(({ state }) => state);
    await several.stop('dep_1', 0, 'api');
    expect(await states()).toEqual(['running', 'exited']);
    await several.restart('dep_1', 'api');
    expect(await states()).toEqual(['running', 'running']);
    await several.stop('dep_1', 0);
    expect(await states()).toEqual(['exited', 'exited']);
    await several.remove('dep_1', 'api');
    expect((await several.list()).map(({ owner }) => owner.service)).toEqual(['web']);
    await expect(several.restart('dep_1', 'api')).rejects.toThrow('does not run');
  });
});
