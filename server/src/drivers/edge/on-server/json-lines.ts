import { StringDecoder } from 'node:string_decoder';

/** Larger than any value that is sent; a line is buffered as a whole. */
const longestLine = 32 * 1024 * 1024;

/** Parses a stream of JSON values, one per line, independent of chunk boundaries. */
export function jsonLineParser(onValue: (value: unknown) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let begun: string[] = [];
  let held = 0;
  return (chunk) => {
    const parts = decoder.write(chunk).split('\n');
    const last = parts.pop()!;
    for (const part of parts) {
      const line = [...begun, part].join('');
      [begun, held] = [[], 0];
      if (line) onValue(JSON.parse(line));
    }
    begun.push(last);
    held += last.length;
    if (held > longestLine) throw new Error('it sends an endless line');
  };
}

export const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;
