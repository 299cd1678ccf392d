import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** What befalls one request: it does not get through, its answer does not, half of its answer does, or nothing moves any more. */
export type Mishap = 'unsent' | 'unanswered' | 'torn' | 'frozen';

export interface Strike {
  /** How the requests begin that it is for: `POST /api/deployments/dep_1/cancel`. */
  request: RegExp;
  mishap: Mishap;
  /** So many of them; later ones get through. */
  times: number;
  /** Called when a request is with the server, and nothing of an answer has been passed on. */
  arrived?: () => unknown;
}

/** A line to a server on loopback that knows one request from the other, so that one of them can be hit. */
export interface CloudLine {
  port: number;
  strike: Strike | undefined;
  /** How many requests were hit so far. */
  struck: number;
  requests: number;
  /** Connections that are open now. */
  open(): number;
  /** Cuts every connection that is open now. */
  cutAll(): number;
  /** Where new connections lead from now on. */
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
  // Of one that is frozen nobody learns that it has ended.
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

/** The head of the answer gets through, and a little of its body. */
function tear(near: Socket, chunk: Buffer): void {
  near.write(chunk.subarray(0, chunk.indexOf('\r\n\r\n') + 4 + 5), () =>
    // What is written and then reset at once may never be read.
    setTimeout(() => near.resetAndDestroy(), 30),
  );
}
