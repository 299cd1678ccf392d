import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { Holds } from './holds.ts';

it('lets a bounded number of requests wait, and frees a slot when a client disconnects', async () => {
  const holds = new Holds();
  holds.begin('dep_1', 60_000);
  const clients = Array.from({ length: 2000 }, () => new PassThrough());
  const waiting = clients.map((client) => holds.wait(client));
  expect(await holds.wait(new PassThrough())).toBe(false);
  clients[0]!.destroy();
  expect(await waiting[0]).toBe(true);
  const another = holds.wait(new PassThrough());
  holds.end('dep_1');
  expect(await Promise.all([another, ...waiting])).not.toContain(false);
  expect(holds.has('dep_1')).toBe(false);
});
