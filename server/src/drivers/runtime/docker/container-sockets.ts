import { readFile } from 'node:fs/promises';
import { isLoopback, listeningSockets } from '../../host/listening-sockets.ts';
import type { Listening } from '../runtime.ts';
import { publishedAt } from './instance-view.ts';
import type { OwnContainer } from './own-containers.ts';

/** Reads files below `/proc` on the engine's machine, in order. */
export type ReadProc = (paths: string[]) => Promise<string>;

export const readProcHere: ReadProc = async (paths) =>
  (await Promise.all(paths.map((path) => readFile(path, 'utf8')))).join('\n');

/** The engine's DNS resolver inside containers. */
const resolverAddress = '127.0.0.11';

/** Returns the listening sockets of the container in its own network namespace. Runs nothing inside it: its image may
 * have no programs. */
export async function containerSockets({ info }: OwnContainer, read: ReadProc): Promise<Listening | undefined> {
  const { Pid } = info.State;
  const port = listensOn(info);
  if (!(Pid > 0) || port === undefined) return undefined;
  const text = await read([`/proc/${Pid}/cgroup`, `/proc/${Pid}/net/tcp`, `/proc/${Pid}/net/tcp6`]);
  // The engine may run in a VM, where the pid is another process.
  if (!text.includes(info.Id)) return undefined;
  const sockets = listeningSockets(text).filter(({ address }) => address !== resolverAddress);
  return { sockets, port, isReached: (socket) => socket.port === port && !isLoopback(socket.address) };
}

/** Returns the container port that Mooring connects to. */
function listensOn(info: OwnContainer['info']): number | undefined {
  const { host, port } = publishedAt(info);
  if (port === 0) return undefined;
  const bindings = Object.entries(info.HostConfig.PortBindings ?? {});
  const published = bindings.find(([, to]) => to?.some(({ HostPort }) => Number(HostPort) === port));
  if (published) return Number.parseInt(published[0], 10);
  // A service is reached at its own address.
  return isLoopback(host) ? undefined : port;
}
