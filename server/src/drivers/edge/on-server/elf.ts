import { closeSync, existsSync, openSync, readSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Dependencies of an ELF program. */
interface Needs {
  /** Path of the loader; null for a static program. */
  loader: string | null;
  /** Names of shared libraries. */
  libraries: string[];
}

const segment = { load: 1, dynamic: 2, interpreter: 3 };
const tag = { end: 0, needed: 1, stringTable: 5 };
const entryBytes = 16;

/** Returns the paths of the loader and of all libraries that a program needs to run. */
export function filesNeededBy(program: string): string[] {
  const { loader, libraries } = needsOf(program);
  if (!loader) return [];
  const places = [dirname(realpathSync(loader)), '/lib64', '/usr/lib64', '/lib', '/usr/lib', '/usr/local/lib'];
  const found = new Map<string, string>();
  const waiting = [...libraries];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    // Some libraries list the loader as a dependency.
    if (found.has(name) || loader.endsWith(`/${name}`)) continue;
    const path = places.map((place) => join(place, name)).find((each) => existsSync(each));
    if (!path) throw new Error(`the library ${name}, which ${program} needs, was not found on this machine`);
    found.set(name, path);
    waiting.push(...needsOf(path).libraries);
  }
  return [loader, ...[...found.values()].toSorted()];
}

/** Reads the program headers, as the kernel and the loader do. All supported machines are 64-bit and little-endian. */
function needsOf(path: string): Needs {
  const descriptor = openSync(path, 'r');
  // In pieces: the Node binary alone has more than 100 MB.
  const read: Read = (at, bytes) => {
    const piece = Buffer.alloc(bytes);
    readSync(descriptor, piece, 0, bytes, at);
    return piece;
  };
  try {
    if (read(0, 6).toString('latin1') !== '\x7fELF\x02\x01') throw new Error(`${path} is not a Linux program`);
    const segments = segmentsOf(read);
    const interpreter = segments.find(({ type }) => type === segment.interpreter);
    const loader = interpreter ? textAt(read, interpreter.offset) : null;
    return { loader, libraries: librariesOf(read, segments) };
  } finally {
    closeSync(descriptor);
  }
}

type Read = (at: number, bytes: number) => Buffer;
type Segment = { type: number; offset: number; address: number; size: number };

function librariesOf(read: Read, segments: Segment[]): string[] {
  const dynamic = segments.find(({ type }) => type === segment.dynamic);
  const entries = dynamic ? entriesOf(read, dynamic) : [];
  const table = entries.find((each) => each.tag === tag.stringTable)?.value ?? 0;
  const isLoadedIn = ({ type, address, size }: Segment) =>
    type === segment.load && address <= table && table < address + size;
  const loaded = segments.find(isLoadedIn);
  if (!loaded) return [];
  const names = loaded.offset + table - loaded.address;
  return entries.filter((each) => each.tag === tag.needed).map(({ value }) => textAt(read, names + value));
}

function segmentsOf(read: Read): Segment[] {
  const header = read(0, 64);
  const [begin, bytes, count] = [number(header, 32), header.readUInt16LE(54), header.readUInt16LE(56)];
  return Array.from({ length: count }, (_, index) => {
    const each = read(begin + index * bytes, bytes);
    return { type: each.readUInt32LE(0), offset: number(each, 8), address: number(each, 16), size: number(each, 32) };
  });
}

function entriesOf(read: Read, { offset, size }: Segment): { tag: number; value: number }[] {
  const table = read(offset, size);
  const all = Array.from({ length: Math.floor(size / entryBytes) }, (_, index) => ({
    tag: number(table, index * entryBytes),
    value: number(table, index * entryBytes + 8),
  }));
  const end = all.findIndex((each) => each.tag === tag.end);
  return end < 0 ? all : all.slice(0, end);
}

const number = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at));

function textAt(read: Read, at: number): string {
  const longest = read(at, 512);
  return longest.toString('latin1', 0, longest.indexOf(0));
}
