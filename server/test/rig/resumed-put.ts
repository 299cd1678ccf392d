import { expect, onTestFinished } from 'vitest';
import type { StorageValues } from '../../src/drivers/storage/storage.ts';
import { startBadLine } from './bad-line.ts';
import { sayFigures } from './figures.ts';
import { killPut } from './killed-put.ts';
import { putInChild } from './put-large.ts';
import type { insideOf } from './s3-inside.ts';

const key = 'large/object';
const bytes = 60_000_000;
// Five parts of 8 MiB are complete.
const hangsAfter = 50_000_000;

/** Kills a process in the middle of an upload, and lets another one continue it. */
export async function expectResumed(
  name: string,
  values: StorageValues & { endpoint: string },
  inside: Pick<ReturnType<typeof insideOf>, 'storedParts' | 'leftovers'>,
): Promise<void> {
  const line = await startBadLine(Number(new URL(values.endpoint).port));
  onTestFinished(() => line.stop());
  const task = { kind: 's3_compatible', values: { ...values, endpoint: `http://127.0.0.1:${line.port}` }, key };
  await killPut({ ...task, source: { hangsAfter } }, async () =>
    (await inside.storedParts(key)) === 5 ? inside.leftovers() : [],
  );
  const before = line.sentBytes;
  const figures = await putInChild({ ...task, source: { bytes }, resume: true });
  expect(figures.bytes).toBe(bytes);
  const resentBytes = line.sentBytes - before;
  sayFigures(`60 MB to ${name}, killed after 42 MB`, { resentMegabytes: resentBytes / 1e6 });
  expect(resentBytes).toBeGreaterThan(bytes - 6 * 8 * 1024 * 1024);
  expect(resentBytes).toBeLessThan(bytes - 5 * 8 * 1024 * 1024 + 100_000);
  expect(await inside.leftovers()).toEqual([]);
}
