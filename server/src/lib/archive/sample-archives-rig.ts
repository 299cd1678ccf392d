import { gzipSync } from 'node:zlib';

/** Archives for tests, built byte by byte, so that they can be wrong in every way. */
export type Sample = {
  name: string;
  type?: string;
  content?: string | Buffer;
  link?: string;
  mode?: number;
  /** Overrides the content's length. */
  size?: number;
  prefix?: string;
  magic?: string;
};

export function tarHeader({
  name,
  type = '0',
  content = '',
  link = '',
  mode = 0o644,
  size,
  prefix = '',
  magic,
}: Sample) {
  const header = Buffer.alloc(512);
  const octal = (value: number, at: number, digits: number) =>
    header.write(`${value.toString(8).padStart(digits, '0')}\0`, at, 'latin1');
  header.write(name, 0, 100);
  octal(mode, 100, 7);
  octal(1000, 108, 7);
  octal(1000, 116, 7);
  octal(size ?? Buffer.byteLength(content), 124, 11);
  octal(0, 136, 11);
  header.write(type, 156, 'latin1');
  header.write(link, 157, 100);
  header.write(magic ?? 'ustar\x0000', 257, 'latin1');
  header.write(prefix, 345, 155);
  return withTarChecksum(header);
}

export function withTarChecksum(header: Buffer): Buffer {
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

const padded = (content: Buffer) => Buffer.concat([content, Buffer.alloc((512 - (content.length % 512)) % 512)]);

export const tarEntry = (sample: Sample): Buffer =>
  Buffer.concat([tarHeader(sample), padded(Buffer.from(sample.content ?? ''))]);

/** Returns an extended header for the entry that follows it. */
export function paxEntry(records: Record<string, string>, type = 'x'): Buffer {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`);
    let length = rest + 1;
    while (String(length).length + rest !== length) length = String(length).length + rest;
    return `${length} ${key}=${value}\n`;
  });
  return tarEntry({ name: 'PaxHeader', type, content: lines.join('') });
}

export const sampleTar = (...entries: (Sample | Buffer)[]): Buffer =>
  Buffer.concat([...entries.map((each) => (Buffer.isBuffer(each) ? each : tarEntry(each))), Buffer.alloc(1024)]);

export const sampleArchive = (...entries: (Sample | Buffer)[]): Buffer => gzipSync(sampleTar(...entries));
