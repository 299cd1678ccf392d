import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { pipeEvents } from './forwarding.ts';
import type { EventStream } from './sse.ts';

/** Returns each delivery: a heartbeat may be sent between two of them. */
async function piped(chunks: string[]): Promise<string[]> {
  const delivered: string[] = [];
  const to: EventStream = {
    send: () => {},
    sendShared: () => {},
    deliver: async (text) => void delivered.push(String(text)),
    end: () => {},
    closed: new AbortController().signal,
  };
  await pipeEvents(
    Readable.from(
      chunks.map((each) => Buffer.from(each)),
      { objectMode: false },
    ),
    to,
  );
  return delivered;
}

describe('stream from another instance', () => {
  const events = ['id: 1\ndata: "a"\n\n', ': still here\n\n', 'id: 2\ndata: "bé"\n\n'];

  it('is forwarded in whole events, independent of chunk boundaries', async () => {
    const bytes = events.join('');
    for (const size of [1, 2, 3, 5, 7, 16, 17, 100]) {
      const chunks = bytes.match(new RegExp(`[^]{1,${size}}`, 'g'))!;
      const delivered = await piped(chunks);
      expect(delivered.join(''), `in pieces of ${size}`).toBe(bytes);
      for (const each of delivered) expect(each, `in pieces of ${size}`).toMatch(/\n\n$/);
    }
  });

  it('drops an incomplete event at the end', async () => {
    expect(await piped([events[0]!, 'id: 2\ndata: "b'])).toEqual([events[0]]);
  });

  it('has a size limit per event', async () => {
    const endless = Array.from({ length: 100 }, () => 'x'.repeat(100_000));
    await expect(piped(endless)).rejects.toThrow('an endless event');
  });
});
