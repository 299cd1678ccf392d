import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type Schemas, unwrap } from '@mooring/client';
import { retryWhileAway } from '../retry.ts';

export type LogLine = Schemas['LogLine'];
export type LogKind = LogLine['kind'];

const pollMs = 1000;
const lookEvery = 10;
const mostLines = 10_000;
/** Containers write independently, so a line may arrive after a newer one. */
const lateMs = 3000;

type Query = { kind?: LogKind | undefined; tail?: number; since?: string | undefined; service?: string | undefined };

/** Returns the stored log of a deployment, oldest first. */
export async function recordedLines(client: Client, id: string, query: Query): Promise<LogLine[]> {
  const request = () => unwrap(client.GET('/api/deployments/{id}/logs', { params: { path: { id }, query } }));
  return (await retryWhileAway(request)).data;
}

/** Yields new lines of the running app until it no longer serves. */
export async function* runtimeLines(
  client: Client,
  id: string,
  { seen, service }: { seen: LogLine[]; service: string | undefined },
): AsyncGenerator<LogLine> {
  const before = seen.filter(({ kind }) => kind === 'runtime');
  const from = before.at(-1)?.at;
  let known = counted(before);
  let newest = from === undefined ? undefined : Date.parse(from);
  for (let turn = 1; ; turn++) {
    const since = sinceOf(newest, from);
    const lines = await recordedLines(client, id, { kind: 'runtime', since, tail: mostLines, service });
    yield* unknown(lines, known);
    known = counted(lines);
    newest = Math.max(newest ?? 0, ...lines.map(({ at }) => Date.parse(at))) || undefined;
    if (turn % lookEvery === 0 && !(await isServing(client, id))) return;
    await sleep(pollMs);
  }
}

/** Polls overlap a little with the newest line, but never reach back before the initial last line. */
function sinceOf(newest: number | undefined, from: string | undefined): string | undefined {
  if (newest === undefined) return from;
  return new Date(Math.max(newest - lateMs, from === undefined ? 0 : Date.parse(from))).toISOString();
}

const keyOf = ({ at, service, stream, line }: LogLine) => JSON.stringify([at, service, stream, line]);

function counted(lines: LogLine[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + 1);
  return counts;
}

/** Counts duplicates, since the same text may be written twice at the same time. */
function unknown(lines: LogLine[], known: ReadonlyMap<string, number>): LogLine[] {
  const left = new Map(known);
  return lines.filter((line) => {
    const count = left.get(keyOf(line)) ?? 0;
    left.set(keyOf(line), count - 1);
    return count <= 0;
  });
}

/** A partially failed release serves too, until the decision. */
async function isServing(client: Client, id: string): Promise<boolean> {
  const request = () => unwrap(client.GET('/api/deployments/{id}', { params: { path: { id } } }));
  const { active, status } = (await retryWhileAway(request)).data;
  return active || status === 'partial_failure';
}
