import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { httpAnswers } from './probes.ts';

/** Like an SSH channel: closes only once it was read to its end. */
class Channel extends Duplex {
  constructor() {
    super({ autoDestroy: false });
  }
  override _read(): void {}
  override _write(_chunk: Buffer, _encoding: string, done: () => void): void {
    done();
  }
  override destroy(): this {
    this.once('end', () => super.destroy());
    this.push(null);
    return this;
  }
}

test('a cancelled check ends at once if its request has not started', async () => {
  const channel = new Channel();
  const closed = new Promise((resolve) => channel.once('close', resolve));
  const outcome = httpAnswers({ path: '/', hostName: null })(
    async () => channel,
    { host: '127.0.0.1', port: 1 },
    AbortSignal.abort(),
  );
  expect(await outcome).toBe('no answer');
  await closed;
});
