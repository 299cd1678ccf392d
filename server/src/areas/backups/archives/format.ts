import { z } from '../../../lib/zod/index.ts';
import { type ArchiveEntry, ArchiveError } from '../../../lib/archive/reader.ts';
import { Packing } from '../../../lib/archive/packing.ts';
import type { WrittenEntry } from '../../../lib/archive/writer.ts';
import { type ArchiveContent, databaseEngineNames } from '../sources/source.ts';

/** The first entry of an archive: what it contains, so that it can be restored without any database. */
export const factsName = 'archive.json';
/** Folder of the archive with the content itself. */
const contentFolder = 'data';
const mostFactsBytes = 65_536;

/** Names of data may contain anything. */
const Source = z.discriminatedUnion('type', [
  z.object({ type: z.literal('volume'), volume: z.string() }),
  z.object({
    type: z.literal('database'),
    service: z.string(),
    engine: z.enum(databaseEngineNames).optional(),
    database: z.string().optional(),
  }),
  z.object({ type: z.literal('files'), service: z.string(), path: z.string() }),
]);

const Facts = z.object({
  format: z.literal(1),
  mooring: z.string(),
  source: Source,
  name: z.string().regex(/^[\w.-]{1,200}$/),
  project: z.string(),
  environment: z.string(),
  createdAt: z.string(),
});
export type ArchiveFacts = z.infer<typeof Facts>;

export const newFacts = (of: Omit<ArchiveFacts, 'format' | 'createdAt'>): ArchiveFacts => ({
  format: 1,
  createdAt: new Date().toISOString(),
  ...of,
});

/** Writes an archive to a file. `fill` adds the content. Returns the bytes of the archive. */
export const packArchive = (
  file: string,
  facts: ArchiveFacts,
  options: Parameters<typeof Packing.write>[1],
  fill: (content: ArchiveContent) => Promise<void>,
): Promise<number> =>
  Packing.write(file, options, async (packing) => {
    await packing.text(factsName, `${JSON.stringify(facts, null, 2)}\n`);
    await fill(contentOf(packing));
  });

const contentOf = (packing: Packing): ArchiveContent => ({
  folder: (folder) => packing.folder({ folder, prefix: contentFolder, top: inContent('.'), withoutDatabases: true }),
  file: (file, entry) => packing.file({ file, entry: { ...entry, path: inContent(entry.path) } }),
  entries: (entries) => packing.entries(within(entries)),
  changedSince: (...args) => packing.changedSince(...args),
});

const inContent = (path: string): string => `${contentFolder}/${path}`;

async function* within(entries: AsyncIterable<WrittenEntry>): AsyncGenerator<WrittenEntry> {
  for await (const entry of entries) yield { ...entry, path: inContent(entry.path) };
}

/** Splits an archive into its facts and its content, with the paths that were backed up. */
export async function readFacts(
  entries: AsyncGenerator<ArchiveEntry, void, undefined>,
): Promise<{ facts: ArchiveFacts; content: AsyncGenerator<ArchiveEntry, void, undefined> }> {
  const { value: first } = await entries.next();
  if (first?.path !== factsName || first.size > mostFactsBytes) throw notOurs();
  const chunks: Buffer[] = [];
  for await (const chunk of first.body()) chunks.push(chunk);
  const facts = Facts.safeParse(jsonIn(Buffer.concat(chunks)));
  if (!facts.success) throw notOurs();
  return { facts: facts.data, content: contentIn(entries) };
}

async function* contentIn(entries: AsyncGenerator<ArchiveEntry, void, undefined>) {
  for await (const entry of entries) {
    const [top, ...rest] = entry.path.split('/');
    if (top !== contentFolder) throw new ArchiveError(`the archive has an unexpected entry: ${entry.path}`);
    const path = rest.join('/');
    if (path) yield { ...entry, path };
  }
}

function jsonIn(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

const notOurs = () => new ArchiveError(`this is not a backup of Mooring: it does not begin with ${factsName}`);
