import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EngineNamespace } from './docker-namespace.ts';
import type { Gate } from './gate.ts';

/** Gates for containers, which cannot see this machine's files but can reach its address. */
export interface Gates {
  newGate(): Gate;
  stop(): void;
}

export async function startGates({ gateway }: EngineNamespace): Promise<Gates> {
  const open = new Set<string>();
  const reached = new Set<string>();
  const server = createServer((request, response) => {
    reached.add(request.url!);
    response.writeHead(open.has(request.url!) ? 200 : 404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, gateway, resolve));
  const { port } = server.address() as AddressInfo;
  let count = 0;
  return {
    newGate() {
      const path = `/gate-${++count}`;
      const at = `http://${gateway}:${port}${path}`;
      return {
        at,
        wait: `until wget -q -O /dev/null ${at} 2>/dev/null; do sleep 0.05; done`,
        open: () => void open.add(path),
        close: () => void open.delete(path),
        isReached: () => reached.has(path),
      };
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
