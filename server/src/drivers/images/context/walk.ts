import type { HeldFolder } from '../../../lib/held-folder.ts';
import { BuildRefusedError } from '../errors.ts';
import { entryChanged, type ContextEntry, contextEntryOf } from './entry.ts';
import type { IgnoreRules } from './ignore-rules.ts';

const maxDepth = 128;
/** Repositories that services are built from are fetched into the source, and are no part of it. */
const fetchedRepositories = '.mooring-repositories';

/** Yields each folder before its contents, names in byte order. */
export async function* walkContext(
  folder: HeldFolder,
  inside: string,
  rules: IgnoreRules,
  depth: number,
): AsyncGenerator<ContextEntry> {
  if (depth > maxDepth) throw new BuildRefusedError(`the folder is more than ${maxDepth} folders deep: ${inside}`);
  const all = (await folder.entries()).map(({ name }) => name);
  const names = depth === 0 ? all.filter((name) => name !== fetchedRepositories) : all;
  for (const name of names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))) {
    const path = inside ? `${inside}/${name}` : name;
    if (name.includes('\uFFFD')) throw new BuildRefusedError(`a file has a name that is not UTF-8: ${path}`);
    const ignored = rules.ignores(path);
    const entry = await contextEntryOf(folder.at(name), path);
    if (!entry) continue;
    if (!ignored) yield entry;
    if (entry.type === 'folder' && (!ignored || rules.mayWantInside(path)))
      yield* below(folder, name, entry, ignored, (inner) => walkContext(inner, path, rules, depth + 1));
  }
}

/** Yields an ignored folder only before the first included entry in it. */
async function* below(
  folder: HeldFolder,
  name: string,
  entry: ContextEntry,
  ignored: boolean,
  give: (inner: HeldFolder) => AsyncGenerator<ContextEntry>,
): AsyncGenerator<ContextEntry> {
  const inner = await folder.enter(name);
  if (!inner) throw entryChanged(entry);
  let isPending = ignored;
  try {
    for await (const each of give(inner)) {
      if (isPending) yield entry;
      isPending = false;
      yield each;
    }
  } finally {
    await inner.close();
  }
}
