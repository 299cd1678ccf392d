import { describe, expect, it } from 'vitest';
import { readTrace } from '../build/trace.ts';
import {
  bytesField,
  decodeMessage,
  encodeEmbedded,
  encodeMessage,
  hasField,
  messageFields,
  numberField,
  textField,
} from './protobuf.ts';

describe('protobuf', () => {
  it('round-trips values', () => {
    const message = decodeMessage(
      Buffer.concat([
        encodeMessage([
          [1, 'text é💥'],
          [2, 300],
          [3, 2 ** 31 + 0o644],
          [4, 1_794_725_316_322_679_700n],
          [5, Buffer.from([0, 255])],
          [100, -1],
          [6, 0],
          [7, ''],
        ]),
        encodeEmbedded(8, encodeMessage([[1, 1]])),
        encodeEmbedded(8, encodeMessage([])),
      ]),
    );
    expect([
      textField(message, 1),
      numberField(message, 2),
      numberField(message, 3),
      numberField(message, 100),
    ]).toEqual(['text é💥', 300, 2 ** 31 + 0o644, -1]);
    expect(message.get(4)).toEqual([1_794_725_316_322_679_700n]);
    expect(bytesField(message, 5)).toEqual(Buffer.from([0, 255]));
    expect([6, 7, 8, 9].map((number) => hasField(message, number))).toEqual([false, false, true, false]);
    expect(messageFields(message, 8).map((inner) => numberField(inner, 1))).toEqual([1, 0]);
    // A missing field, or one of another type, has proto3's default.
    expect([textField(message, 9), numberField(message, 9), textField(message, 2), numberField(message, 1)]).toEqual([
      '',
      0,
      '',
      0,
    ]);
  });

  it('skips unused wire types', () => {
    const message = decodeMessage(Buffer.from([0x0d, 1, 2, 3, 4, 0x11, 1, 2, 3, 4, 5, 6, 7, 8, 0x18, 5]));
    expect(numberField(message, 3)).toBe(5);
  });

  it.each([
    ['a length beyond the end', [0x0a, 5, 1]],
    ['a number without end', [0x08, ...Array<number>(12).fill(0xff)]],
    ['a number that is cut', [0x08, 0x80]],
    ['a kind that does not exist', [0x0b, 1]],
  ])('rejects %s', (_, bytes) => {
    expect(() => decodeMessage(Buffer.from(bytes))).toThrow('the engine sent');
  });

  it("decodes BuildKit's progress", () => {
    const time = encodeMessage([
      [1, 1_794_723_946],
      [2, 192_500_000],
    ]);
    const vertex = Buffer.concat([
      encodeMessage([
        [1, 'sha256:1'],
        [3, '[2/2] RUN x'],
        [4, 1],
        [7, 'exit code: 3'],
      ]),
      encodeEmbedded(5, time),
    ]);
    const log = encodeMessage([
      [1, 'sha256:1'],
      [3, 2],
      [4, Buffer.from('out\n')],
    ]);
    expect(readTrace(Buffer.concat([encodeEmbedded(1, vertex), encodeEmbedded(3, log)]))).toEqual({
      vertexes: [
        {
          digest: 'sha256:1',
          name: '[2/2] RUN x',
          cached: true,
          startedAt: 1_794_723_946_192.5,
          completedAt: undefined,
          error: 'exit code: 3',
        },
      ],
      logs: [{ vertex: 'sha256:1', stream: 'stderr', message: Buffer.from('out\n') }],
    });
  });
});
