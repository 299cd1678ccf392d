import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import type { CacheNotes } from './cache-notes.ts';
import { type CacheRecord, isBaseImageRecord, isRecordOfStep, parentsOf } from './own-records.ts';
import { type PruneResult, pruneToSize } from './prune-to-size.ts';

const dfDeadlineMs = 5 * 60_000;
/** The engine reports no size for base images, which is wrong: unused ones are removed after a day. */
const idleMs = 24 * 3_600_000;

/** Prunes our records in BuildKit's cache, which all users of the engine share. Leaves others alone, however large. */
export async function pruneBuildKit(engine: EngineClient, notes: CacheNotes, maxBytes: number): Promise<PruneResult> {
  const query = { type: 'build-cache' };
  const call = { method: 'GET', path: '/system/df', query, deadlineMs: dfDeadlineMs } as const;
  const records = (await engine.json<{ BuildCache: CacheRecord[] | null }>(call)).BuildCache ?? [];
  const steps = notes.all();
  const lookedAt = new Set(steps.map((step) => JSON.stringify(step)));
  const ours = records.filter((record) => steps.some((step) => isRecordOfStep(step, record)));
  const kept = await pruneToSize(
    maxBytes,
    ours.map((record) => ({
      id: record.ID,
      bytes: record.Shared ? 0 : record.Size,
      usedAt: usedAt(record),
      idle: maxBytes === 0 || (isBaseImageRecord(record) && usedAt(record) < Date.now() - idleMs),
      // Records of any owner: a parent cannot be removed before its children.
      children: records.filter((other) => parentsOf(other).includes(record.ID)).map(({ ID }) => ID),
    })),
    (id) => removeRecord(engine, id),
  );
  const left = ours.filter(({ ID }) => !kept.removed.has(ID));
  notes.keep((step) => !lookedAt.has(JSON.stringify(step)) || left.some((record) => isRecordOfStep(step, record)));
  return kept;
}

const usedAt = ({ LastUsedAt, CreatedAt }: CacheRecord): number => Date.parse(LastUsedAt ?? CreatedAt);

async function removeRecord(engine: EngineClient, id: string): Promise<boolean> {
  const query = { all: true, filters: { id: [id] } };
  const call = { method: 'POST', path: '/build/prune', query } as const;
  const { CachesDeleted } = await engine.json<{ CachesDeleted: string[] | null }>(call);
  return CachesDeleted?.includes(id) ?? false;
}
