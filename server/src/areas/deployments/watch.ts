import type { Db } from '../../db/database.ts';
import type { LogLine, Runtime } from '../../drivers/runtime/runtime.ts';
import type { DeploymentRow } from './store.ts';

export type RecordedLine = {
  at: number;
  kind: 'build' | 'runtime';
  line: string;
  level: string;
  step: string | null;
  stream: string;
  seq: number | null;
};
const pageSize = 1000;
// Ten thousand lines may have 16 KB each. One answer has the newest of them, and not all of the memory.
const mostCharacters = 8_000_000;

export type LogQuery = { kind?: 'build' | 'runtime' | undefined; tail: number; since?: number | undefined };

/** What a deployment wrote: the build from its events, the running app from the runtime's files. */
export async function recordedLines(
  db: Db,
  runtime: Runtime,
  { id }: DeploymentRow,
  { kind, tail, since }: LogQuery,
): Promise<RecordedLine[]> {
  const build = kind === 'runtime' ? [] : await buildLines(db, id, tail, since);
  const running = kind === 'build' ? [] : await runtime.logs(id, { tail, ...(since !== undefined && { since }) });
  return [...build, ...running.map(ofRuntime)].slice(-tail);
}

async function buildLines(db: Db, id: string, tail: number, since: number | undefined): Promise<RecordedLine[]> {
  const newestFirst: RecordedLine[] = [];
  let charactersLeft = mostCharacters;
  for (let page: LogRow[] = []; newestFirst.length < tail && charactersLeft > 0;) {
    page = await readPage(db, id, page.at(-1)?.seq, since, Math.min(pageSize, tail - newestFirst.length));
    for (const row of page) {
      newestFirst.push(ofBuild(row));
      charactersLeft -= row.data.length;
      if (charactersLeft <= 0) break;
    }
    if (page.length < pageSize) break;
  }
  return newestFirst.toReversed();
}

type LogRow = { seq: number; at: number; data: string };

function readPage(
  db: Db,
  id: string,
  before: number | undefined,
  since: number | undefined,
  limit: number,
): Promise<LogRow[]> {
  let query = db
    .selectFrom('deployment_events')
    .select(['seq', 'at', 'data'])
    .where('deployment_id', '=', id)
    .where('type', '=', 'log');
  if (since !== undefined) query = query.where('at', '>=', since);
  if (before !== undefined) query = query.where('seq', '<', before);
  return query.orderBy('seq', 'desc').limit(limit).execute();
}

function ofBuild({ seq, at, data }: LogRow): RecordedLine {
  const { line, level, step, stream } = JSON.parse(data) as {
    line: string;
    level: string;
    step: string | null;
    stream: string;
  };
  return { at, kind: 'build', line, level, step, stream, seq };
}

const ofRuntime = ({ at, stream, line }: LogLine): RecordedLine => ({
  at,
  kind: 'runtime',
  line,
  level: 'info',
  step: null,
  stream,
  seq: null,
});
