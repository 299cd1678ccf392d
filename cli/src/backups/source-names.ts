import { type Client, type Schemas, unwrap } from '@mooring/client';
import { UsageError } from '../errors.ts';

export type Source = Schemas['BackupSource'];
export type FoundSource = Schemas['FoundBackupSource'];

export async function foundSources(client: Client, id: string, environment?: string): Promise<FoundSource[]> {
  const params = { path: { id }, query: environment ? { environment } : {} };
  return (await unwrap(client.GET('/api/projects/{id}/backup-sources', { params }))).data;
}

/** `volume:uploads`, `database:db`, `database:db:shop`, `files:web:/etc/app`. */
export function sourceText(source: Source): string {
  if (source.type === 'volume') return `volume:${source.volume}`;
  if (source.type === 'files') return `files:${source.service}:${source.path}`;
  return `database:${source.service}${source.database ? `:${source.database}` : ''}`;
}

/** Reads sources as `sourceText` writes them, or by their names in the list of found sources. */
export async function readSources(given: string[], found: () => Promise<FoundSource[]>): Promise<'all' | Source[]> {
  const words = given.flatMap((each) => each.split(',')).map((each) => each.trim());
  if (words.length === 1 && words[0] === 'all') return 'all';
  let known: FoundSource[] | undefined;
  const sources: Source[] = [];
  for (const word of words) {
    known ??= await found();
    const named = known.find(({ name, source }) => name === word || sourceText(source) === word);
    sources.push(named?.source ?? typedSource(word, known));
  }
  return sources;
}

function typedSource(word: string, known: FoundSource[]): Source {
  const [, type, name = '', rest] = /^(volume|database|files):([^:]+)(?::(.+))?$/.exec(word) ?? [];
  if (type === 'volume' && rest === undefined) return { type, volume: name };
  if (type === 'database') return { type, service: name, ...(rest && { database: rest }) };
  if (type === 'files' && rest) return { type, service: name, path: rest };
  const names = known.map(({ source }) => sourceText(source)).join(', ');
  throw new UsageError(
    `${word} is not a source such as volume:uploads, database:db or files:web:/path${names ? `; there are ${names}` : ''}`,
  );
}
