import { createServer, type RequestListener } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { newFolder } from '../../../test/rig/children.ts';

/** Starts a fake engine and returns the path of its socket. */
export async function fakeEngine(answer: RequestListener): Promise<string> {
  const path = join(newFolder('fake-engine'), 'engine.sock');
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return path;
}

/** Ping response of a real engine. */
export const pingResponse: RequestListener = (_request, response) =>
  response.writeHead(200, { 'api-version': '1.41' }).end('OK');

/** Starts a TCP proxy whose connections can be cut. */
export async function startCuttableProxy(port: number): Promise<{ port: number; cut(): void; connections(): number }> {
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createTcpServer((near) => {
    count++;
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => [near, far].forEach((each) => each.destroy()));
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => count,
    cut: () => sockets.forEach((socket) => socket.destroy()),
  };
}
