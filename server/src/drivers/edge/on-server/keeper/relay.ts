import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

export interface RelayTarget {
  host: string;
  port: number;
}

/** A restarted target is back within seconds; its name resolves to nothing until then. */
const patienceMs = 15_000;
const betweenTriesMs = 250;
const connectMs = 3_000;

/** Passes connections of the node's own programs on to a port in a network that only this container has joined. */
export function relayConnections(port: number, target: RelayTarget): void {
  createServer({ allowHalfOpen: true }, (near) => {
    near.on('error', () => near.destroy());
    // Apps share networks with this container, and reach the port too. Published ports come from the gateway.
    if (near.remoteAddress !== gatewayIn(readFileSync('/proc/net/route', 'utf8'))) near.destroy();
    else reach(near, target, Date.now() + patienceMs);
  }).listen(port, '0.0.0.0');
}

function reach(near: Socket, target: RelayTarget, giveUp: number): void {
  const far = connect({ ...target, allowHalfOpen: true, timeout: connectMs });
  far.once('timeout', () => far.destroy(new Error('no response')));
  far.once('error', () => {
    if (near.destroyed || Date.now() > giveUp) near.destroy();
    else setTimeout(reach, betweenTriesMs, near, target, giveUp);
  });
  far.once('connect', () => {
    far.setTimeout(0);
    far.removeAllListeners('error');
    // Either end may close or fail at any time.
    pipeline(near, far, near, () => {});
  });
}

/** Returns the IPv4 address of the default gateway; its bytes are listed in the machine's order, least first. */
export function gatewayIn(routes: string): string | undefined {
  const route = routes
    .split('\n')
    .map((line) => line.split('\t'))
    .find(([, destination]) => destination === '00000000');
  return route && Buffer.from(route[2]!, 'hex').toReversed().join('.');
}
