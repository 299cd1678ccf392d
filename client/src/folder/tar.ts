const block = 512;
const kinds = { file: '0', symlink: '2', folder: '5' } as const;

export type TarEntry = { path: string; mode: number } & (
  | { type: 'file'; size: number }
  | { type: 'folder' }
  | { type: 'symlink'; target: string }
);

/** The header of a tar entry: ustar, with pax headers for long names. Omits owners and times. */
export function tarHeader(entry: TarEntry): Uint8Array<ArrayBuffer> {
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
  const body = bytesOf(records.join(''));
  const extended = header({ path: 'PaxHeader', target: '', size: body.length, mode: 0o644, kind: 'x' });
  return joined([extended, body, tarPadding(body.length), own]);
}

/** Pads the content to whole blocks. */
export const tarPadding = (size: number): Uint8Array<ArrayBuffer> => new Uint8Array((block - (size % block)) % block);

export const tarEnd = (): Uint8Array<ArrayBuffer> => new Uint8Array(2 * block);

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const fits = (text: string) => /^[\x20-\x7e]{0,100}$/.test(text);

/** `<length> key=value\n`, where the length counts its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = bytesOf(` ${key}=${value}\n`).length;
  let length = rest + String(rest).length;
  length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}

type Fields = { path: string; target: string; size: number; mode: number; kind: string };

function header({ path, target, size, mode, kind }: Fields): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(block);
  const put = (text: string, at: number) => bytes.set(bytesOf(text), at);
  const octal = (value: number, at: number, digits: number) =>
    put(value.toString(8).padStart(digits, '0').slice(-digits), at);
  bytes.set(bytesOf(path).subarray(0, 100), 0);
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size < 8 ** 11 ? size : 0, 124, 11);
  octal(0, 136, 11);
  put('        ', 148);
  put(kind, 156);
  bytes.set(bytesOf(target).subarray(0, 100), 157);
  put('ustar\u000000', 257);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  octal(sum, 148, 6);
  put('\0 ', 154);
  return bytes;
}
