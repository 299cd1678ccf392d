import { StringDecoder } from 'node:string_decoder';

/** Takes a stream of JSON values apart, one in each line, wherever the borders between chunks fall. */
export function jsonLines(onValue: (value: unknown) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let begun: string[] = [];
  return (chunk) => {
    const parts = decoder.write(chunk).split('\n');
    const last = parts.pop()!;
    for (const part of parts) {
      const line = [...begun, part].join('');
      begun = [];
      if (line) onValue(JSON.parse(line));
    }
    begun.push(last);
  };
}

export const asLine = (value: unknown): string => `${JSON.stringify(value)}\n`;
