import { once } from 'node:events';
import { Agent as PlainAgent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as secure } from 'node:tls';
import { connectOutbound, type OutboundReach } from '../../../lib/outbound.ts';

type Done = (error: unknown, socket?: Socket) => void;
type Wanted = { host: string; port: number };

/** Returns an agent whose connections obey `lib/outbound.ts` and are kept alive. Unlike `OutboundAgent` of `lib`, it
 * does not limit their number: slow readers must not block uploads. */
export function storageAgent(isSecure: boolean, reach: OutboundReach, deadlineMs: number): PlainAgent {
  const agent = isSecure ? new SecureAgent({ keepAlive: true }) : new PlainAgent({ keepAlive: true });
  const create = async ({ host, port }: Wanted): Promise<Socket> => {
    const deadline = AbortSignal.timeout(deadlineMs);
    const socket = await connectOutbound({ host, port, reach }, { deadlineMs });
    if (!isSecure) return socket;
    const wrapped = secure({ socket, host, ALPNProtocols: ['http/1.1'], ...(!isIP(host) && { servername: host }) });
    try {
      await once(wrapped, 'secureConnect', { signal: deadline });
      return wrapped;
    } catch (error) {
      wrapped.on('error', () => {}).destroy();
      throw deadline.aborted ? deadline.reason : error;
    }
  };
  // The types allow only synchronous connections; Node also accepts the callback.
  agent.createConnection = ((wanted: Wanted, done: Done) => {
    create(wanted).then(
      (socket) => done(null, socket),
      (error: unknown) => done(error),
    );
  }) as unknown as typeof agent.createConnection;
  return agent;
}
