import { createServer, type AddressInfo } from 'node:net';

/** Returns a port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

/** The first of a few ports for one test's apps: below the ephemeral range, and most likely unused. */
export const appPorts = (): number => 28_000 + Math.floor(Math.random() * 380) * 12;
