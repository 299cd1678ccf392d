import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { EngineClient } from '../docker/engine/client.ts';
import { EngineError } from '../docker/engine/errors.ts';
import { provideReleaseImage } from './place-release.ts';

it('fails when a node cannot pull the image, whatever the message contains', async () => {
  const error = 'Get "https://registry.test/v2/": dial tcp: connection refused';
  const engine = {
    json: async () => {
      throw new EngineError(404, 'no such image');
    },
    open: async () => Readable.from([JSON.stringify({ status: 'Pulling' }), '\r\n', JSON.stringify({ error })]),
  } as unknown as EngineClient;
  const pulled = provideReleaseImage(engine, 'sha256:1', { reference: 'registry.test/app', auth: undefined });
  await expect(pulled).rejects.toThrow(`a node could not pull registry.test/app: ${error}`);
});
