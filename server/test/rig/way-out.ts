import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A proxy on this side of an engine's network, for what builds fetch (`HTTPS_PROXY`): there is no other way out. */
export async function openWayOut(gateway: string): Promise<{ url: string; close(): void }> {
  const open = new Set<Socket>();
  const server = createServer((_, response) => response.writeHead(405).end());
  server.on('connect', (request, near: Socket, head: Buffer) => {
    const [host, port] = request.url!.split(':') as [string, string];
    const far = connect(Number(port), host, () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      far.write(head);
      near.pipe(far).pipe(near);
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy()).once('close', () => [open.delete(socket), other.destroy()]);
    }
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, gateway, resolve));
  return {
    url: `http://${gateway}:${(server.address() as AddressInfo).port}`,
    close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
