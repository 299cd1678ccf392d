import { expect, it } from 'vitest';
import type { EngineClient } from '../runtime/docker/engine/client.ts';
import { endCopies } from './copy-out.ts';

it('removes abandoned copies, but none that another replica may be using', async () => {
  const now = Date.now();
  const hoursAgo = (hours: number) => Math.floor(now / 1000 - hours * 3600);
  const removed: string[] = [];
  const engine = {
    async json({ method, path }: { method: string; path: string }) {
      if (method === 'DELETE') return void removed.push(path);
      return [
        { Id: 'young', Created: hoursAgo(0.1) },
        { Id: 'left', Created: hoursAgo(3) },
      ];
    },
  } as unknown as EngineClient;
  await endCopies(engine, 'inst', now);
  expect(removed).toEqual(['/containers/left']);
});
