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
