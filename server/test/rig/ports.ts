import { createServer, type AddressInfo } from 'node:net';

/** A port that was free a moment ago. */
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

/** The first of a few ports for apps of one test: below those that the kernel gives away, and most likely nobody else's. */
export const appPorts = (): number => 28_000 + Math.floor(Math.random() * 380) * 12;
