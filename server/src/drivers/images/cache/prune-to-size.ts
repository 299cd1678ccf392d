/** A cache record. */
export interface CacheEntry {
  id: string;
  /** Space freed by its removal. */
  bytes: number;
  usedAt: number;
  /** Must be removed first. */
  children: string[];
  /** Unused: removed even if there is room. */
  idle: boolean;
}

export interface PruneResult {
  removed: Set<string>;
  freedBytes: number;
  keptBytes: number;
}

/** Removes the least recently used records without children until the rest is small enough or cannot be removed.
 * `remove` returns whether it succeeded. */
export async function pruneToSize(
  maxBytes: number,
  all: CacheEntry[],
  remove: (id: string) => Promise<boolean>,
): Promise<PruneResult> {
  const removed = new Set<string>();
  const refused = new Set<string>();
  let keptBytes = all.reduce((sum, { bytes }) => sum + bytes, 0);
  const before = keptBytes;
  const next = () => {
    const free = all
      .filter(({ id, children }) => !removed.has(id) && !refused.has(id) && children.every((each) => removed.has(each)))
      .toSorted((a, b) => a.usedAt - b.usedAt);
    return keptBytes > maxBytes ? free[0] : free.find(({ idle }) => idle);
  };
  for (let one = next(); one; one = next()) {
    if (!(await remove(one.id))) {
      refused.add(one.id);
      continue;
    }
    removed.add(one.id);
    keptBytes -= one.bytes;
  }
  return { removed, freedBytes: before - keptBytes, keptBytes };
}
