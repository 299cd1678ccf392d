import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A proxy outside an engine's network for build downloads (`HTTPS_PROXY`), since there is no other way out. */
export interface WayOut {
  url: string;
  close(): void;
}

export async function openWayOut(gateway: string): Promise<WayOut> {
  const open = new Set<Socket>();
  const server = createServer(passOn);
  server.on('connect', (incoming, near: Socket, head: Buffer) => {
    const [host, port] = incoming.url!.split(':') as [string, string];
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
      server.closeAllConnections();
    },
  };
}

/** Debian's packages are fetched over plain HTTP, without a tunnel. */
function passOn(incoming: IncomingMessage, answer: ServerResponse): void {
  if (incoming.method !== 'GET' || !incoming.url!.startsWith('http://')) return void answer.writeHead(405).end();
  request(incoming.url!, { headers: incoming.headers }, (response) => {
    answer.writeHead(response.statusCode!, response.headers);
    response.pipe(answer);
    response.once('error', () => answer.destroy());
  })
    .once('error', (error) => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end(error.message)))
    .end();
}

/** Whether builds could download from there; tests are skipped while a mirror is unreachable. */
export async function isReachable(url: string): Promise<boolean> {
  const answered = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(8000) }).catch(() => undefined);
  return answered?.ok === true;
}
