import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A connection to a loopback server with injectable faults. */
export interface BadLine {
  port: number;
  /** Bytes sent to the server by all connections so far. */
  sentBytes: number;
  /** Corrupts the first occurrence of these bytes from the server. */
  lieAbout?: Buffer;
  /** Cuts the connection after that many bytes to the server, for `times` connections. */
  cut?: { afterBytes: number; times: number };
  /** The same for bytes from the server. */
  cutAnswer?: { afterBytes: number; times: number };
  /** Stalls the connection after that many bytes to the server. */
  freezeAfterBytes?: number;
  stop(): void;
}

export async function startBadLine(serverPort: number): Promise<BadLine> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(serverPort, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
    }
    let [sent, received] = [0, 0];
    const cutIf = (plan: BadLine['cut'], bytes: number) => {
      if (!plan || bytes < plan.afterBytes || plan.times < 1) return false;
      plan.times--;
      near.resetAndDestroy();
      return true;
    };
    near.on('data', (chunk) => {
      sent += chunk.length;
      line.sentBytes += chunk.length;
      if (cutIf(line.cut, sent)) return;
      if (line.freezeAfterBytes !== undefined && sent > line.freezeAfterBytes) near.pause();
      else if (!far.write(chunk)) near.pause();
    });
    far.on('drain', () => near.resume());
    far.on('data', (chunk) => {
      received += chunk.length;
      if (cutIf(line.cutAnswer, received)) return;
      const at = line.lieAbout ? chunk.indexOf(line.lieAbout) : -1;
      if (at >= 0) chunk[at] = chunk[at]! ^ 1;
      if (!near.write(chunk)) far.pause();
    });
    near.on('drain', () => far.resume());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const line: BadLine = {
    port: (server.address() as AddressInfo).port,
    sentBytes: 0,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return line;
}
