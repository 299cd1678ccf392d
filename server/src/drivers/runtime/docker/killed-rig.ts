import { connect, type Socket } from 'node:net';

/** Connections of a service that is killed at a request, just before or just after it is sent. */
export function killedAt(address: string, request: RegExp, when: 'before' | 'after') {
  const open = new Set<Socket>();
  let dead = false;
  const die = () => {
    dead = true;
    for (const socket of open) socket.destroy(new Error('killed'));
  };
  const toEngine = () => {
    const socket = connect({ path: new URL(address).pathname });
    open.add(socket);
    if (dead) socket.destroy(new Error('killed'));
    const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
    socket.write = (...args: unknown[]) => {
      const hit = request.test(String(args[0]));
      if (!dead && (!hit || when === 'after')) write(...args);
      if (hit) setTimeout(die, when === 'after' ? 30 : 0);
      return true;
    };
    return socket;
  };
  return { toEngine, wasKilled: () => dead };
}
