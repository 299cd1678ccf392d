import { isLeftover, temporaryNamePrefix } from '../keys.ts';
import type { Sweep } from '../sweeping.ts';
import type { S3Client } from './client.ts';
import { pagesOf } from './list.ts';
import { abortUpload, readNote, removeObject } from './notes.ts';

/** Aborts uploads of killed processes and removes their temporary objects. All are in the destination's home, so that
 * no sweep has to list a whole bucket. */
export async function sweepBucket(client: S3Client, home: string, sweep: Sweep, signal: AbortSignal): Promise<void> {
  await sweep.attempt('the target', async () => {
    for await (const { key, modifiedAt } of pagesOf(client, home + temporaryNamePrefix, signal)) {
      if (!sweep.goesOn()) return;
      // The server rejects clocks that differ by more than a few minutes, so ours is good enough.
      if (!isLeftover(key.slice(home.length)) || !sweep.isOld(modifiedAt, Date.now())) continue;
      await sweep.attempt(key, async () => {
        const upload = key.endsWith('.upload') ? await readNote(client, key, signal) : undefined;
        if (upload) await abortUpload(client, upload, signal);
        await removeObject(client, key, signal);
        sweep.removed(key);
      });
    }
  });
}
