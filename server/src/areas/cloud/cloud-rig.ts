import type { AddressInfo } from 'node:net';
import { ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { memoryDrivers } from '../../../test/rig/drivers.ts';
import type { DatabaseKind } from '../../db/database.ts';

/** A hosted cloud and an instance, in this process, with a connection that can be cut. */
export interface TwoInstances {
  cloud: TestApp;
  home: TestApp;
  url: string;
  /** Stops the cloud from responding. */
  cut(): Promise<void>;
  /** Lets it respond again at the same port. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

export async function startCloudAndHome(
  env: Record<string, string> = {},
  kind: DatabaseKind = 'sqlite',
): Promise<TwoInstances> {
  const drivers = memoryDrivers();
  const containers = { ...drivers, runtime: Object.assign(drivers.runtime, { kind: 'docker' }) };
  const cloud = await startApp('sqlite', {
    env: { MOORING_MODE: 'cloud', MOORING_ALLOW_PRIVATE_TARGETS: 'all' },
    drivers: containers,
  });
  await cloud.server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = cloud.server.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const home = await startApp(kind, { env });
  return {
    cloud,
    home,
    url,
    async cut() {
      cloud.server.server.closeAllConnections();
      await new Promise((resolve) => cloud.server.server.close(resolve));
    },
    mend: () => new Promise((resolve) => cloud.server.server.listen(port, '127.0.0.1', () => resolve())),
    async close() {
      await home.close();
      await cloud.close();
    },
  };
}

/** Links the first organization of `home` with the token of the cloud's owner. */
export const linkHomeToCloud = ({ home, url }: TwoInstances) =>
  home.call('POST', '/api/cloud/link', { token: ownerToken, body: { url, token: ownerToken } });
