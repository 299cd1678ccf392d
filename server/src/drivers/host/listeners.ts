import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { listeningOn, type ListeningSocket } from './listening-sockets.ts';
import { membersOf, type ProcessTree } from './process-tree.ts';

/** Expected owner of a listening socket: a user, or an app's processes. */
export type ListenerOwner =
  | { uid: number }
  /** A file that identifies the app's processes; see `ProcessTree`. */
  | { stateFile: string };

export type GuardedAddress = { host: string; port: number; listener: ListenerOwner };

/** Another process listens on the app's port. */
export class ForeignListenerError extends Error {
  override name = 'ForeignListenerError';
}

/** A descriptor of a listening socket. */
type Held = { file: string; link: string };
type Known = { held: Held[]; at: number };

/** Processes of one user could share the port with SO_REUSEPORT, so this knowledge expires. */
const freshMs = { uid: Number.POSITIVE_INFINITY, stateFile: 1000 };

/** Checks the sockets on app ports against their owners. A port is free while its app restarts, and a process that
 * binds it meanwhile must not receive a byte. */
export class Listeners {
  readonly #known = new Map<string, Known>();
  readonly #looking = new Map<string, Promise<Held[]>>();

  /** Fails unless only the owner listens. Returns a check for after connecting: true if the same sockets were open
   * all the time, so that the connection belongs to one of them. */
  async require(target: GuardedAddress): Promise<() => boolean> {
    const key = `${target.host} ${target.port} ${JSON.stringify(target.listener)}`;
    const known = this.#known.get(key);
    const fresh = 'uid' in target.listener ? freshMs.uid : freshMs.stateFile;
    if (known && performance.now() - known.at < fresh && known.held.every(isHeld))
      return () => known.held.every(isHeld);
    const looking = this.#looking.get(key) ?? this.#look(key, target).finally(() => this.#looking.delete(key));
    this.#looking.set(key, looking);
    const held = await looking;
    return () => held.every(isHeld);
  }

  async #look(key: string, { host, port, listener }: GuardedAddress): Promise<Held[]> {
    const sockets = await listeningOn(host, port);
    if (!sockets.length) {
      this.#known.delete(key);
      throw new Error(`nothing listens on port ${port}`);
    }
    const before = this.#known.get(key)?.held ?? [];
    const held = heldSockets(sockets, listener, before);
    if (!held) {
      this.#known.delete(key);
      const others = [...new Set(sockets.map(({ uid }) => uid))].join(', ');
      throw new ForeignListenerError(`port ${port} is used by a process of another app (user ${others})`);
    }
    this.#known.set(key, { held, at: performance.now() });
    return held;
  }
}

const isHeld = ({ file, link }: Held): boolean => linkOf(file) === link;

/** Returns the owner's descriptors of the sockets; undefined when one belongs to another process. */
function heldSockets(sockets: ListeningSocket[], owner: ListenerOwner, before: Held[]): Held[] | undefined {
  if ('uid' in owner && sockets.some(({ uid }) => uid !== owner.uid)) return undefined;
  const missing = new Set(sockets.map(({ inode }) => `socket:[${inode}]`));
  const held = before.filter((each) => isHeld(each) && missing.delete(each.link));
  for (const pid of missing.size ? processesOf(owner) : [])
    for (const found of descriptorsOf(pid)) if (missing.delete(found.link)) held.push(found);
  return missing.size ? undefined : held;
}

function processesOf(owner: ListenerOwner): number[] {
  if ('stateFile' in owner) {
    const tree = treeIn(owner.stateFile);
    return tree ? membersOf(tree).map(({ pid }) => pid) : [];
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statSync(`/proc/${name}`, { throwIfNoEntry: false })?.uid === owner.uid)
    .map(Number);
}

/** The process runtime's record of an app. */
type StateFile = { app: ProcessTree['leader']; marker: string; since?: string; supervisor: { startTime: string } };

function treeIn(file: string): ProcessTree | undefined {
  try {
    const { app, marker, supervisor, since } = JSON.parse(readFileSync(file, 'utf8')) as StateFile;
    return { leader: app, marker, since: since ?? supervisor.startTime };
  } catch (error) {
    // The app was removed.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Yields the open sockets of a process. */
function* descriptorsOf(pid: number): Generator<Held> {
  const folder = `/proc/${pid}/fd`;
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    // The process has exited.
    return;
  }
  for (const name of names) {
    const file = `${folder}/${name}`;
    const link = linkOf(file);
    if (link?.startsWith('socket:')) yield { file, link };
  }
}

function linkOf(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    // Closed, or the process has exited.
    return undefined;
  }
}
