import { expect, test } from 'vitest';
import { Person } from './mooring.ts';
import { startService } from './service.ts';

test('stop ends everything it can, even if the engine does not respond', async () => {
  const root = new Person();
  const service = await startService();
  try {
    const env = {
      MOORING_DATA_DIR: service.dataDir,
      MOORING_RUNTIME: 'docker',
      DOCKER_HOST: `unix://${root.home}/no.sock`,
    };
    expect(await root.run(['stop'], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^mooring: Stopped the service, the edge\. The apps keep running: Docker does not respond: .*DOCKER_HOST right\?\n$/,
      ),
    });
    await expect(fetch(`${service.url}/api/health`)).rejects.toThrow();
    expect(await root.run(['stop'], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^mooring: The apps keep running: Docker does not respond: /),
    });
    expect(await root.run(['stop'], { env: { ...env, MOORING_RUNTIME: 'process' } })).toMatchObject({
      code: 0,
      stdout: 'Nothing was running.\n',
    });
  } finally {
    root.leave();
    await service.stop();
  }
}, 60_000);
