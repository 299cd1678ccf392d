import type { Duplex } from 'node:stream';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { configuredHints, ownHints } from './hints.ts';
import type { ImageRegistry, Login } from './image-registry.ts';
import { type OwnRegistry, registryUser } from './own-registry.ts';
import { registryPort } from './registry-spec.ts';
import { requestOver, requestTo } from './requests.ts';

/** A registry that the operator runs. */
export const configuredRegistry = (engine: EngineClient, address: string, login: Login): ImageRegistry => ({
  address,
  isOwn: false,
  hints: configuredHints,
  ready: async () => login,
  isReadOnly: async () => false,
  request: (call) => requestTo(engine, address.split('/', 1)[0]!, call),
  beforeDelete: async () => {},
  collectGarbage: async () => {},
});

interface OwnRegistryAccess {
  registry: OwnRegistry;
  /** Port of each node's loopback that leads to the registry. */
  port: number;
  /** Its name in its network. */
  host: string;
  /** Connects to a port in its network. */
  open: (at: { host: string; port: number }, signal: AbortSignal) => Promise<Duplex>;
  /** Called before an image is sent. */
  onReady: (network: string) => Promise<void>;
}

/** The registry that Mooring runs in the Swarm. */
export const ownRegistry = ({ registry, port, host, open, onReady }: OwnRegistryAccess): ImageRegistry => ({
  // Engines accept plain HTTP there.
  address: `127.0.0.1:${port}`,
  isOwn: true,
  hints: ownHints,
  async ready() {
    await onReady(await registry.network());
    return { username: registryUser, password: await registry.ensure() };
  },
  isReadOnly: () => registry.isReadOnly(),
  request: async (call) =>
    requestOver(await open({ host, port: registryPort }, AbortSignal.timeout(60_000)), `127.0.0.1:${port}`, call),
  beforeDelete: () => registry.noteGarbage(),
  collectGarbage: () => registry.collectGarbage(),
});
