import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** The fault of one request: it is lost, its response is lost, its response is truncated, or the connection stalls. */
export type Mishap = 'unsent' | 'unanswered' | 'torn' | 'frozen';

export interface Strike {
  /** The start of the affected requests: `POST /api/deployments/dep_1/cancel`. */
  request: RegExp;
  mishap: Mishap;
  /** The number of affected requests; later ones succeed. */
  times: number;
  /** Called when the server has the request, before any of the response is forwarded. */
  arrived?: () => unknown;
}

/** A proxy to a loopback server that can inject a fault into one particular request. */
export interface CloudLine {
  port: number;
  strike: Strike | undefined;
  /** Number of affected requests so far. */
  struck: number;
  requests: number;
  /** Number of open connections. */
  open(): number;
  /** Cuts all open connections. */
  cutAll(): number;
  /** Sets the target of new connections. */
  leadTo(port: number): void;
  stop(): void;
}

export async function startCloudLine(serverPort: number): Promise<CloudLine> {
  const nears = new Set<Socket>();
  let to = serverPort;
  const server = createServer((near) => {
    nears.add(near);
    near.once('close', () => nears.delete(near));
    carry(near, connect(to, '127.0.0.1'), line);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const line: CloudLine = {
    port: (server.address() as AddressInfo).port,
    strike: undefined,
    struck: 0,
    requests: 0,
    open: () => nears.size,
    cutAll() {
      const { size } = nears;
      for (const near of nears) near.resetAndDestroy();
      return size;
    },
    leadTo: (port) => void (to = port),
    stop() {
      server.close();
      for (const near of nears) near.destroy();
    },
  };
  return line;
}

function carry(near: Socket, far: Socket, line: CloudLine): void {
  let mishap: Mishap | undefined;
  // The end of a stalled connection is not propagated.
  const leave = (other: Socket) => void (mishap === 'frozen' && other === near ? undefined : other.destroy());
  for (const [socket, other] of [
    [near, far],
    [far, near],
  ] as const) {
    socket.on('error', () => leave(other));
    socket.on('close', () => leave(other));
    socket.on('drain', () => other.resume());
  }
  near.on('data', (chunk) => {
    const begun = /^[A-Z]+ \S+(?= HTTP\/1\.1\r\n)/.exec(chunk.toString('latin1'))?.[0];
    const { strike } = line;
    if (begun) line.requests++;
    const isHit = begun !== undefined && strike !== undefined && strike.times > 0 && strike.request.test(begun);
    if (isHit) {
      strike.times--;
      line.struck++;
      mishap = strike.mishap;
    }
    if (isHit && mishap === 'unsent') return void near.resetAndDestroy();
    if (!far.write(chunk)) near.pause();
    if (isHit) strike.arrived?.();
    return undefined;
  });
  far.on('data', (chunk) => {
    if (mishap === 'frozen') return;
    if (mishap === 'unanswered') near.resetAndDestroy();
    else if (mishap === 'torn') tear(near, chunk);
    else if (!near.write(chunk)) far.pause();
  });
}

/** Forwards the head of the response and a little of its body. */
function tear(near: Socket, chunk: Buffer): void {
  near.write(chunk.subarray(0, chunk.indexOf('\r\n\r\n') + 4 + 5), () =>
    // Data written right before a reset may never be read.
    setTimeout(() => near.resetAndDestroy(), 30),
  );
}
