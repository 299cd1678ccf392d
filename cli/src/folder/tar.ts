import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../errors.ts';
import type { Entry } from './walk.ts';

const block = 512;

/** The entries of a folder as a tar (ustar, with pax headers for long names), as it is read. Owners and times stay here. */
export async function* writeTar(root: string, entries: Iterable<Entry>): AsyncGenerator<Buffer> {
  for (const entry of entries) {
    yield headersOf(entry);
    if (entry.type === 'file') yield* fileBody(join(root, entry.path), entry.path, entry.size);
  }
  yield Buffer.alloc(2 * block);
}

/** Exactly as many bytes as the header said: what was added since then waits for the next deployment. */
async function* fileBody(file: string, path: string, size: number): AsyncGenerator<Buffer> {
  if (!size) return;
  const handle = await open(file, 'r');
  try {
    let missing = size;
    for await (const chunk of handle.createReadStream({ end: size - 1, autoClose: false }) as AsyncIterable<Buffer>) {
      missing -= chunk.length;
      yield chunk;
    }
    if (missing) throw new Failure(`${path} changed while it was uploaded; deploy again`);
  } finally {
    await handle.close();
  }
  yield padding(size);
}

const kinds = { file: '0', symlink: '2', folder: '5' } as const;

function headersOf(entry: Entry): Buffer {
  const path = entry.type === 'folder' ? `${entry.path}/` : entry.path;
  const target = entry.type === 'symlink' ? entry.target : '';
  const size = entry.type === 'file' ? entry.size : 0;
  const own = header({ path, target, size, mode: entry.mode, kind: kinds[entry.type] });
  const records = [
    ...(fits(path) ? [] : [paxRecord('path', path)]),
    ...(fits(target) ? [] : [paxRecord('linkpath', target)]),
    ...(size < 8 ** 11 ? [] : [paxRecord('size', String(size))]),
  ];
  if (!records.length) return own;
  const body = Buffer.from(records.join(''));
  const extended = header({ path: 'PaxHeader', target: '', size: body.length, mode: 0o644, kind: 'x' });
  return Buffer.concat([extended, body, padding(body.length), own]);
}

const fits = (text: string) => /^[\x20-\x7e]{0,100}$/.test(text);

/** `<length> key=value\n`, where the length counts its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}

type Fields = { path: string; target: string; size: number; mode: number; kind: string };

function header({ path, target, size, mode, kind }: Fields): Buffer {
  const bytes = Buffer.alloc(block);
  const octal = (value: number, at: number, digits: number) =>
    bytes.write(value.toString(8).padStart(digits, '0').slice(-digits), at, 'latin1');
  Buffer.from(path).copy(bytes, 0, 0, 100);
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size < 8 ** 11 ? size : 0, 124, 11);
  octal(0, 136, 11);
  bytes.write('        ', 148, 'latin1');
  bytes.write(kind, 156, 'latin1');
  Buffer.from(target).copy(bytes, 157, 0, 100);
  bytes.write('ustar\u000000', 257, 'latin1');
  octal(
    bytes.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  bytes.write('\0 ', 154, 'latin1');
  return bytes;
}

const padding = (size: number) => Buffer.alloc((block - (size % block)) % block);
