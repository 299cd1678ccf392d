import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { NoPortLeftError } from '../errors.ts';
import { withLock } from './locks.ts';
import type { RuntimePaths } from './paths.ts';
import { replaceFileSingleWriter } from './replace-file.ts';

const lockWithinMs = 20_000;

export interface PortAllocator {
  /** Returns the instance's port: the requested one, or its previous one unless that is taken or to be avoided, or a
   * new one. */
  take(key: string, asked?: number, avoid?: number): Promise<number>;
  release(keys: string[]): Promise<void>;
}

/** Allocates ports of the range and records them, so that no two instances get the same one, running or not. */
export function recordedPorts(
  places: RuntimePaths,
  range: { from: number; to: number },
  host: string,
  isElsewhere = false,
): PortAllocator {
  // Ports of another server cannot be probed; publishing reports a conflict.
  const isFree = async (port: number) => isElsewhere || isFreeHere(port, host);
  const change = <T>(task: (ports: Map<number, string>) => Promise<T>): Promise<T> =>
    withLock(join(places.locks, 'ports.lock'), lockWithinMs, async () => {
      const ports = read(places);
      const before = textOf(ports);
      const result = await task(ports);
      // On a full disk, calls that change nothing must still work.
      if (textOf(ports) !== before) replaceFileSingleWriter(places.ports, textOf(ports));
      return result;
    });
  const give = (ports: Map<number, string>, key: string, port: number) => {
    for (const [other, holder] of ports) if (holder === key) ports.delete(other);
    ports.set(port, key);
    return port;
  };
  return {
    take: (key, asked, avoid) =>
      change(async (ports) => {
        if (asked !== undefined) {
          const holder = ports.get(asked);
          if ((holder !== undefined && holder !== key) || !(await isFree(asked)))
            throw new Error(`port ${asked} is in use${holder && holder !== key ? ` by ${holder}` : ''}`);
          return give(ports, key, asked);
        }
        const before = [...ports].find(([, holder]) => holder === key)?.[0];
        if (before !== undefined && before !== avoid && (await isFree(before))) return before;
        const size = range.to - range.from + 1;
        const offset = randomInt(size);
        for (let i = 0; i < size; i++) {
          const port = range.from + ((offset + i) % size);
          if (port !== avoid && !ports.has(port) && (await isFree(port))) return give(ports, key, port);
        }
        throw new NoPortLeftError(range);
      }),
    release: (keys) =>
      change(async (ports) => {
        for (const [port, holder] of ports) if (keys.includes(holder)) ports.delete(port);
      }),
  };
}

const textOf = (ports: Map<number, string>): string => `${JSON.stringify(Object.fromEntries(ports))}\n`;

/** Reads the record without entries of removed instances, which an interrupted removal leaves. */
function read(places: RuntimePaths): Map<number, string> {
  const text = existsSync(places.ports) ? readFileSync(places.ports, 'utf8') : '{}';
  const entries = Object.entries(JSON.parse(text) as Record<string, string>);
  return new Map(
    entries.filter(([, key]) => existsSync(places.instance(key))).map(([port, key]) => [Number(port), key]),
  );
}

/** An address of another machine counts as free. */
function isFreeHere(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRNOTAVAIL') resolve(true);
      else if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}
