import type { UseSsh } from '../../ssh/held-socket.ts';

/** A server that is a node of a Swarm. */
export interface SwarmServer {
  nodeId: string;
  name: string;
  use: UseSsh;
  edge: { port: number; tlsPort: number };
}
