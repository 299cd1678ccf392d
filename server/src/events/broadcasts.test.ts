import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ownerToken, startApp } from '../../test/rig/app.ts';
import { newFolder } from '../../test/rig/children.ts';
import { until } from '../../test/rig/until.ts';
import type { EventStream } from '../http/sse.ts';
import { Broadcasts } from './broadcasts.ts';
import { EventLog } from './event-log.ts';

type Viewer = { stream: EventStream; seen: number[]; leave: () => void };

/** `slowMs`: how long each delivery of history takes. */
function newViewer(slowMs = 0): Viewer {
  const gone = new AbortController();
  const seen: number[] = [];
  const take = (text: string | Buffer) => {
    for (const [, id] of String(text).matchAll(/^id: (\d+)$/gm)) seen.push(Number(id));
  };
  const stream: EventStream = {
    send: () => {},
    sendShared: ({ bytes }) => take(bytes),
    async deliver(text) {
      if (slowMs) await sleep(slowMs);
      take(text);
    },
    end: () => gone.abort(),
    closed: gone.signal,
  };
  return { stream, seen, leave: () => gone.abort() };
}

it('gives every event once and in order to each of many viewers, whenever they come', async () => {
  const app = await startApp('sqlite');
  const { db } = app.database;
  const post = async <T>(path: string, body: object) =>
    (await app.call('POST', path, { token: ownerToken, body })).body as unknown as T;
  const source = { type: 'local', path: newFolder('source') };
  const { data } = await post<{ data: { id: string } }>('/api/projects', { name: 'seen', source });
  const { deployment_id: id } = await post<{ deployment_id: string }>('/api/deployments/build/access', {
    projectId: data.id,
  });
  const { fence } = await db.selectFrom('deployments').select('fence').where('id', '=', id).executeTakeFirstOrThrow();
  let reads = 0;
  class CountingLog extends EventLog {
    override read(...args: Parameters<EventLog['read']>) {
      reads++;
      return super.read(...args);
    }
  }
  const log = new CountingLog(db);
  const broadcasts = new Broadcasts(log, (message) => expect(message).toBe(''));
  const viewers: Viewer[] = [];
  const following: Promise<void>[] = [];
  const come = (count: number, since = 0, slowMs = 0) => {
    for (let i = 0; i < count; i++) {
      const viewer = newViewer(slowMs);
      viewers.push(viewer);
      following.push(broadcasts.follow(id, since, viewer.stream));
    }
  };
  come(300);
  for (let line = 1; line <= 300; line++) {
    log.add(id, fence, 'log', { line: `line ${line}` });
    if (line % 10 === 0) come(20, 0, line % 3);
    if (line % 50 === 0) viewers.pop()!.leave();
    await sleep(3);
  }
  log.add(id, fence, 'end', { status: 'ready' });
  await log.flush(id);
  const { lastSeq: last } = await db
    .selectFrom('deployments')
    .select('lastSeq')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  await until('all have the end', () => viewers.every(({ seen }) => seen.at(-1) === last));
  await Promise.all(following);
  const every = Array.from({ length: last }, (_, i) => i + 1);
  for (const { seen } of viewers) expect(seen).toEqual(every);
  // Not one read for each viewer and page.
  expect(reads).toBeLessThan(viewers.length * 3);
  await app.close();
});
