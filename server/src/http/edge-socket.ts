import { rmSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The dashboard at the edge; `hasCertificate` ends the time of plain HTTP. */
export type EdgeDashboard = { readonly hasCertificate: boolean };

/** Connections that wait to be accepted. With Node's 511, some of a thousand viewers who reconnect after a restart are
 * dropped, and try again a second later. The kernel lowers it to `net.core.somaxconn`. */
export const listenBacklog = 4096;

/** Stands for the edge as the peer of a connection. No TCP connection comes from this address. */
export const edgeAddress = '0.0.0.0';

/** Also serves the connections of a Unix socket. Only our own user can open it, so its peer is the edge. */
export async function listenForEdge(http: HttpServer, path: string): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    Object.defineProperty(socket, 'remoteAddress', { value: edgeAddress });
    http.emit('connection', socket);
  });
  rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    // The socket is created in this call, with mode 0600.
    const usual = process.umask(0o177);
    server.once('error', reject).listen({ path, backlog: listenBacklog }, resolve);
    process.umask(usual);
  });
  return server;
}

const isPlainByEdge = (request: FastifyRequest): boolean =>
  request.socket.remoteAddress === edgeAddress && request.protocol !== 'https';

/** Whether the client may use plain HTTP, because there is no certificate yet. */
export const isPlainAllowed = (request: FastifyRequest, dashboard: EdgeDashboard | undefined): boolean =>
  dashboard !== undefined && !dashboard.hasCertificate && isPlainByEdge(request);

/** Redirects requests to addresses of the machine, or with an expired certificate. The edge redirects the others. */
export const redirectPlain =
  (dashboard: EdgeDashboard, publicUrl: string) => (request: FastifyRequest, reply: FastifyReply, next: () => void) => {
    if (dashboard.hasCertificate && isPlainByEdge(request)) reply.redirect(`${publicUrl}${request.url}`, 307);
    else next();
  };
