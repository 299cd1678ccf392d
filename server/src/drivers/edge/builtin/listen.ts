import type { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const retryMs = 50;

/** Listens on an address or on an inherited socket. Returns the port. */
export function listen(server: Server, where: { host: string; port: number } | { fd: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...where, backlog: 1024 }, () => {
      server.off('error', reject);
      resolve((server.address() as { port: number }).port);
    });
  });
}

/** Listens on `port`; for port 0 prefers the last one if it is free, or becomes free within `withinMs`. */
export async function listenAnew(
  server: Server,
  host: string,
  port: number,
  lastPort: number,
  withinMs = 0,
): Promise<number> {
  const end = performance.now() + withinMs;
  for (;;) {
    try {
      return await listen(server, { host, port: port || lastPort });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      if (performance.now() > end) {
        if (port === 0) return listen(server, { host, port: 0 });
        throw error;
      }
    }
    await sleep(retryMs);
  }
}

/** Returns why listening failed and what to do. `setting` is the variable that sets the port. */
export function explainListening(
  { code, message }: { code?: string; message: string },
  host: string,
  port: number,
  setting: string,
): string {
  if (code === 'EADDRINUSE')
    return `port ${port} of ${host} is in use by another program; choose another port with ${setting}`;
  if (code === 'EACCES') return `this user cannot listen on port ${port}; choose a port above 1023 with ${setting}`;
  if (code === 'EADDRNOTAVAIL') return `this machine has no address ${host}; see MOORING_EDGE_HOST`;
  return message;
}
