import { isAppRow } from '../model/stack.ts';
import { readLogLine } from '../model/stored.ts';
import type { Db } from '../../../db/database.ts';
import type { LogLine, Runtime } from '../../../drivers/runtime/runtime.ts';
import { containersOf } from './containers-of.ts';
import type { DeploymentRow } from '../model/store.ts';

export type RecordedLine = {
  at: number;
  kind: 'build' | 'runtime';
  line: string;
  level: string;
  step: string | null;
  stream: string;
  /** Null for an app, and for lines about all services. */
  service: string | null;
  /** Null for a build. */
  replica: number | null;
  seq: number | null;
};
const pageSize = 1000;
// Ten thousand lines may have 16 KB each, so a response is limited to the newest of them.
const mostCharacters = 8_000_000;

export type LogQuery = {
  kind?: 'build' | 'runtime' | undefined;
  tail: number;
  since?: number | undefined;
  service?: string | undefined;
};

/** Returns the log lines of a deployment: of the build from its events, of the running app from the runtime. */
export async function recordedLines(
  db: Db,
  runtime: Runtime,
  row: DeploymentRow,
  { kind, tail, since, service }: LogQuery,
): Promise<RecordedLine[]> {
  const build = kind === 'runtime' ? [] : await buildLines(db, row.id, { tail, since, service });
  const running = kind === 'build' ? [] : await runtimeLines(runtime, row, { tail, since, service });
  return [...build, ...running].slice(-tail);
}

type Narrowed = Pick<LogQuery, 'tail' | 'since' | 'service'>;

/** Returns the lines of all its containers, in chronological order. */
async function runtimeLines(
  runtime: Runtime,
  row: DeploymentRow,
  { tail, since, service }: Narrowed,
): Promise<RecordedLine[]> {
  const options = { tail, ...(since !== undefined && { since }) };
  if (isAppRow(row))
    return service === undefined || service === 'app'
      ? (await runtime.logs(row.id, options)).map((line) => ofRuntime(line, null))
      : [];
  const lines = await Promise.all(
    containersOf(row, service).map(async (each) => {
      const found = await runtime.logs(each.deploymentId, { ...options, service: each.service });
      return found.map((line) => ofRuntime(line, each.service));
    }),
  );
  return lines.flat().toSorted((a, b) => a.at - b.at);
}

async function buildLines(db: Db, id: string, { tail, since, service }: Narrowed): Promise<RecordedLine[]> {
  const newestFirst: RecordedLine[] = [];
  let charactersLeft = mostCharacters;
  for (let page: LogRow[] = []; newestFirst.length < tail && charactersLeft > 0;) {
    const limit = service === undefined ? Math.min(pageSize, tail - newestFirst.length) : pageSize;
    page = await readPage(db, id, page.at(-1)?.seq, since, limit);
    for (const row of page) {
      const line = ofBuild(row);
      if (service === undefined || line.service === service) newestFirst.push(line);
      charactersLeft -= row.data.length;
      if (charactersLeft <= 0) break;
    }
    if (page.length < limit) break;
  }
  return newestFirst.slice(0, tail).toReversed();
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
    .where('deploymentId', '=', id)
    .where('type', 'in', ['log', 'warning']);
  if (since !== undefined) query = query.where('at', '>=', since);
  if (before !== undefined) query = query.where('seq', '<', before);
  return query.orderBy('seq', 'desc').limit(limit).execute();
}

function ofBuild({ seq, at, data }: LogRow): RecordedLine {
  const { line, level, step, stream, service } = readLogLine(data);
  return { at, kind: 'build', line, level, step, stream, service, replica: null, seq };
}

const ofRuntime = ({ at, stream, line, replica = 1 }: LogLine, service: string | null): RecordedLine => ({
  replica,
  at,
  kind: 'runtime',
  line,
  level: 'info',
  step: null,
  stream,
  service,
  seq: null,
});
