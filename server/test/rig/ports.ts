import { createServer } from 'node:net';

/** `fetch` refuses it. */
const refused = 10_080;

/** Returns a port that was free a moment ago. It is below the ephemeral range, so that no connection and no program
 * that lets the kernel choose its port takes it meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 9000);
    if (port !== refused && (await isFree(port))) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });

/** The first of a few ports for one test's apps: below the ephemeral range, and most likely unused. */
export const appPorts = (): number => 28_000 + Math.floor(Math.random() * 380) * 12;
