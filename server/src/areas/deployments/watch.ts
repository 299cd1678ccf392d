import type { Db } from '../../db/database.ts';
import type { EventLog, StoredEvent } from '../../events/event-log.ts';
import type { EventStream } from '../../http/sse.ts';
import type { LogLine, Runtime } from '../../drivers/runtime/runtime.ts';
import type { DeploymentRow } from './store.ts';

const pageSize = 500;
// Events that another replica wrote are found by looking; our own are told at once.
const lookMs = 1000;

/** Sends a deployment's events after `since`, then each new one, until the end or until the client goes. */
export async function follow(
  events: EventLog,
  deployment: DeploymentRow,
  since: number,
  stream: EventStream,
): Promise<void> {
  let last = since;
  let news = Promise.withResolvers<void>();
  const off = events.onNews(deployment.id, () => news.resolve());
  const timer = setInterval(() => news.resolve(), lookMs);
  stream.closed.addEventListener('abort', () => news.resolve());
  try {
    while (!stream.closed.aborted) {
      news = Promise.withResolvers<void>();
      const page = await events.read(deployment.id, last, pageSize);
      for (const event of page) stream.send(sendable(event));
      last = page.at(-1)?.seq ?? last;
      if (page.some(({ type }) => type === 'end')) return stream.end();
      if (page.length < pageSize) await news.promise;
    }
  } finally {
    off();
    clearInterval(timer);
  }
}

const sendable = ({ seq, at, type, data }: StoredEvent) => ({
  id: seq,
  event: type,
  data: { seq, at: new Date(at).toISOString(), ...(JSON.parse(data) as object) },
});

export type RecordedLine = {
  at: number;
  kind: 'build' | 'runtime';
  line: string;
  level: string;
  step: string | null;
  stream: string;
  seq: number | null;
};
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
  let query = db.selectFrom('deployment_events').selectAll().where('deployment_id', '=', id).where('type', '=', 'log');
  if (since !== undefined) query = query.where('at', '>=', since);
  const rows = await query.orderBy('seq', 'desc').limit(tail).execute();
  return rows.toReversed().map(({ seq, at, data }) => {
    const { line, level, step, stream } = JSON.parse(data) as {
      line: string;
      level: string;
      step: string | null;
      stream: string;
    };
    return { at, kind: 'build', line, level, step, stream, seq };
  });
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
