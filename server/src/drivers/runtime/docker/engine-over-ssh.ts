import { heldSocket, type UseSsh } from '../../ssh/held-socket.ts';
import { LazyStream } from '../../ssh/lazy-stream.ts';
import type { EngineConnect } from './engine-client.ts';

export const usualSocket = '/var/run/docker.sock';

/** An engine on another machine: each connection to it is a channel to its socket in the one SSH connection. */
export const engineOverSsh =
  (use: UseSsh, socket = usualSocket): EngineConnect =>
  () =>
    new LazyStream(() => heldSocket(use, socket));
