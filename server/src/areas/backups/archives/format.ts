import { z } from 'zod';
import { type ArchiveEntry, ArchiveError } from '../../../lib/archive/reader.ts';
import type { WrittenEntry } from '../../../lib/archive/writer.ts';
import type { SourceRef } from '../sources/source.ts';

/** The first entry of an archive: what it contains, so that it can be restored without any database. */
export const factsName = 'mooring.json';
/** Folder of the archive with the content itself. */
const contentFolder = 'data';
const mostFactsBytes = 65_536;

const Facts = z.object({
  format: z.literal(1),
  mooring: z.string(),
  source: z.custom<SourceRef>((value) => typeof value === 'object' && value !== null),
  name: z.string(),
  project: z.string(),
  environment: z.string(),
  createdAt: z.string(),
});
export type Facts = z.infer<typeof Facts>;

export const newFacts = (of: Omit<Facts, 'format' | 'createdAt'>): Facts => ({
  format: 1,
  createdAt: new Date().toISOString(),
  ...of,
});

/** Yields the entries of an archive. `onBytes` receives the sizes of the content. */
export async function* archiveEntries(
  facts: Facts,
  entries: AsyncIterable<WrittenEntry>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<WrittenEntry> {
  const text = Buffer.from(`${JSON.stringify(facts, null, 2)}\n`);
  const shared = { mode: 0o600, modifiedMs: Date.now(), target: '' };
  yield {
    ...shared,
    path: factsName,
    type: 'file',
    size: text.length,
    content: async function* () {
      yield text;
    },
  };
  yield { ...shared, mode: 0o755, path: contentFolder, type: 'folder', size: 0, content: async function* () {} };
  for await (const entry of entries)
    yield {
      ...entry,
      path: `${contentFolder}/${entry.path}`,
      async *content() {
        for await (const chunk of entry.content()) {
          onBytes(chunk.length);
          yield chunk;
        }
      },
    };
}

/** Splits an archive into its facts and its content, with the paths that were backed up. */
export async function readFacts(
  entries: AsyncGenerator<ArchiveEntry, void, undefined>,
): Promise<{ facts: Facts; content: AsyncGenerator<ArchiveEntry, void, undefined> }> {
  const { value: first } = await entries.next();
  if (first?.path !== factsName || first.size > mostFactsBytes) throw notOurs();
  const chunks: Buffer[] = [];
  for await (const chunk of first.body()) chunks.push(chunk);
  const facts = Facts.safeParse(JSON.parse(Buffer.concat(chunks).toString()));
  if (!facts.success) throw notOurs();
  return { facts: facts.data, content: contentOf(entries) };
}

async function* contentOf(entries: AsyncGenerator<ArchiveEntry, void, undefined>) {
  for await (const entry of entries) {
    const [top, ...rest] = entry.path.split('/');
    if (top !== contentFolder) throw new ArchiveError(`the archive has an unexpected entry: ${entry.path}`);
    const path = rest.join('/');
    if (path) yield { ...entry, path };
  }
}

const notOurs = () => new ArchiveError('this is not a backup of Mooring: it does not begin with mooring.json');
