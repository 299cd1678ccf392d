import { createServer } from 'node:net';

/** `fetch` refuses it. */
const refused = 10_080;

const first = 10_000;
const count = 1000;
/** Each worker of a test run has its own ports, and takes one after the other: a program that starts slowly binds its
 * port seconds after it was chosen. */
const own = first + (Number(process.env['VITEST_POOL_ID'] ?? 0) % 9) * count;
let next = Math.floor(Math.random() * count);

/** Returns a port that was free a moment ago. It is below the ephemeral range, so that no connection and no program
 * that lets the kernel choose its port takes it meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = own + (next++ % count);
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
