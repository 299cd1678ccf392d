import { isLeftover, ourNames } from '../keys.ts';
import type { Sweep } from '../sweeping.ts';
import type { S3Client } from './client.ts';
import { pagesOf } from './list.ts';
import { abortUpload, readNote, removeObject } from './notes.ts';

/** Ends the uploads that killed processes have left, and removes what they had stored for a while. All of it is in the home
 * of the target, so that nobody has to look through a whole bucket. */
export async function sweepBucket(client: S3Client, home: string, sweep: Sweep, signal: AbortSignal): Promise<void> {
  await sweep.attempt('the target', async () => {
    for await (const { key, modifiedAt } of pagesOf(client, home + ourNames, signal)) {
      if (!sweep.goesOn()) return;
      // Clocks that differ by more than some minutes are refused by the server.
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
