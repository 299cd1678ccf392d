import type { Duplex } from 'node:stream';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { configuredHints, ownHints } from './hints.ts';
import type { ImageRegistry, RegistryAccount } from './image-registry.ts';
import { type OwnRegistry, registryUser } from './own-registry.ts';
import { registryPort } from './registry-spec.ts';
import { RegistryClient } from './registry-client.ts';
import { requestOver } from './requests.ts';

/** A registry that the operator runs. */
export const configuredRegistry = (engine: EngineClient, address: string, login: RegistryAccount): ImageRegistry => ({
  address,
  isOwn: false,
  hints: configuredHints,
  ready: async () => login,
  isReadOnly: async () => false,
  async request(call) {
    const answer = await new RegistryClient(engine, { registry: address, login }).answer(call);
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
  },
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
  async request(call) {
    const authorization = `Basic ${btoa(`${registryUser}:${await registry.ensure()}`)}`;
    const connection = await open({ host, port: registryPort }, AbortSignal.timeout(60_000));
    return requestOver(connection, `127.0.0.1:${port}`, { ...call, headers: { ...call.headers, authorization } });
  },
  beforeDelete: () => registry.noteGarbage(),
  collectGarbage: () => registry.collectGarbage(),
});
