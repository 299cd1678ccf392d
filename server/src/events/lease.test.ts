import { expect, it } from 'vitest';
import { Lease, StoppingError } from './lease.ts';

const lease = (stopping: AbortSignal) =>
  new Lease({ what: 'a build', renew: async () => ({ cancelRequestedAt: null }), stopping, warn: () => {} });

it.each(['before', 'after'])('ends work that was claimed just %s the service stops', (when) => {
  const stopping = new AbortController();
  if (when === 'after') stopping.abort();
  const held = lease(stopping.signal);
  stopping.abort();
  expect(held.signal.reason).toBeInstanceOf(StoppingError);
  held.end();
});
