import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { ownerToken, startApp } from '../../test/rig/app.ts';
import { newFolder } from '../../test/rig/children.ts';
import { EventLog } from './event-log.ts';

it('keeps events that a full disk rejects, and writes them in order later', async () => {
  const app = await startApp('sqlite');
  const { db } = app.database;
  const post = async <T>(path: string, body: object) =>
    (await app.call('POST', path, { token: ownerToken, body })).body as unknown as T;
  const source = { type: 'local', path: newFolder('source') };
  const { data } = await post<{ data: { id: string } }>('/api/projects', { name: 'full', source });
  const asked = { projectId: data.id };
  const { deployment_id: id } = await post<{ deployment_id: string }>('/api/deployments/build/access', asked);
  const { fence } = await db.selectFrom('deployments').select('fence').where('id', '=', id).executeTakeFirstOrThrow();
  const log = new EventLog(db, { patienceMs: 0 });
  const before = (await log.read(id, 0, 100)).length;

  const pages = await sql<{ pageCount: number }>`pragma page_count`.execute(db);
  await sql.raw(`pragma max_page_count = ${pages.rows[0]!.pageCount}`).execute(db);
  const lines = Array.from({ length: 60 }, (_, i) => `${i} ${'x'.repeat(20_000)}`);
  for (const line of lines.slice(0, 30)) log.add(id, fence, 'log', { line });
  await expect(log.flush(id)).rejects.toThrow('full');
  for (const line of lines.slice(30)) log.add(id, fence, 'log', { line });
  await expect(log.flush(id)).rejects.toThrow('full');

  await sql.raw('pragma max_page_count = 1000000').execute(db);
  await log.flush(id);
  const stored = (await log.read(id, before, 100)).map((event) => (JSON.parse(event.data) as { line: string }).line);
  expect(stored).toEqual(lines);
  await app.close();
});
