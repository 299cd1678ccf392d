import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { AppError } from '../../../errors.ts';
import { completeBody } from './complete-body.ts';

describe('response from the cloud', () => {
  const piece = Buffer.alloc(300_000, 'x');
  const answer = (pieces: number, breaks = false) =>
    Readable.from(
      (async function* () {
        for (let i = 0; i < pieces; i++) yield piece;
        if (breaks) throw new Error('cut');
      })(),
    );

  it.each([0, 1, 3, 4, 12])('with %s chunks is passed on unchanged', async (pieces) => {
    expect((await buffer(await completeBody(answer(pieces), false))).length).toBe(pieces * piece.length);
  });

  it('fails if it ends early', async () => {
    for (const pieces of [0, 1, 3])
      await expect(completeBody(answer(pieces, true), false)).rejects.toThrow('cloud_unreachable');
  });

  it('warns that a change may have succeeded if it ends early', async () => {
    const [looked, changed] = await Promise.all(
      [false, true].map((isOnce) =>
        completeBody(answer(1, true), isOnce).catch((error: AppError) => error.extra.message),
      ),
    );
    expect(looked).not.toContain('may have succeeded');
    expect(changed).toContain('may have succeeded');
  });

  it('is streamed if large, and then breaks off for the reader', async () => {
    await expect(buffer(await completeBody(answer(4, true), false))).rejects.toThrow('cut');
  });
});
