import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { redactingStream } from './redact-stream.ts';

const secret = `mrg_pat_${'aB3-_x9'.repeat(6)}z`;
const passed = (chunks: Buffer[]) => Readable.from(chunks).pipe(redactingStream([secret]));
const cut = (bytes: Buffer, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size));

it('redacts a value across any chunk boundaries', async () => {
  const said = Buffer.from(`é {"authorization":"Bearer ${secret}"} mrg_pat_ ${encodeURIComponent(secret)} end`);
  for (const size of [1, 2, 7, 8, 30, 51, 1000])
    expect(await text(passed(cut(said, size))), `in pieces of ${size}`).toBe(
      'é {"authorization":"Bearer [hidden]"} mrg_pat_ [hidden] end',
    );
});

it('redacts a value with letters outside ASCII', async () => {
  const values = ['Grüße-aus-Köln'];
  const said = Buffer.from(`a ${values[0]} b ${Buffer.from(values[0]!).toString('base64')} ü`);
  expect(await text(Readable.from(cut(said, 5)).pipe(redactingStream(values)))).toBe('a [hidden] b [hidden]= ü');
});

it('passes every other byte unchanged', async () => {
  const bytes = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7) % 256));
  expect((await buffer(passed(cut(bytes, 13)))).equals(bytes)).toBe(true);
});

it('holds back only a possible beginning of a value', async () => {
  const stream = redactingStream([secret]);
  stream.write('data: {"line":"hello"}\n\n');
  expect(String(stream.read())).toBe('data: {"line":"hello"}\n\n');
  stream.write('data: mrg_p');
  expect(String(stream.read())).toBe('data: ');
});
