import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, type Schemas, unwrap } from '@mooring/client';
import { patiently } from '../patience.ts';

export type LogLine = Schemas['LogLine'];
export type Kind = LogLine['kind'];

const pollMs = 1000;
const lookEvery = 10;
const mostLines = 10_000;

type Query = { kind?: Kind | undefined; tail?: number; since?: string | undefined };

/** What a deployment wrote, oldest first. */
export async function recordedLines(client: Client, id: string, query: Query): Promise<LogLine[]> {
  const request = () => unwrap(client.GET('/api/deployments/{id}/logs', { params: { path: { id }, query } }));
  return (await patiently(request)).data;
}

/** What the running app writes after the lines that were seen, until it is not the one that serves any more. */
export async function* runtimeLines(client: Client, id: string, seen: LogLine[]): AsyncGenerator<LogLine> {
  let before = seen.filter(({ kind }) => kind === 'runtime');
  for (let turn = 1; ; turn++) {
    const since = before.at(-1)?.at;
    const lines = await recordedLines(client, id, { kind: 'runtime', since, tail: mostLines });
    const news = lines.slice(alreadySeen(lines, before, since));
    yield* news;
    before = news.length ? [...before.filter(({ at }) => at === news.at(-1)?.at), ...news] : before;
    if (turn % lookEvery === 0 && !(await isActive(client, id))) return;
    await sleep(pollMs);
  }
}

/** `since` includes its moment, in which there may have been several lines. */
function alreadySeen(lines: LogLine[], before: LogLine[], since: string | undefined): number {
  if (since === undefined) return 0;
  const atThatTime = (all: LogLine[]) => all.filter(({ at }) => at === since).length;
  return Math.min(atThatTime(lines), atThatTime(before));
}

async function isActive(client: Client, id: string): Promise<boolean> {
  const request = () => unwrap(client.GET('/api/deployments/{id}', { params: { path: { id } } }));
  return (await patiently(request)).data.active;
}
