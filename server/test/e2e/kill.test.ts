import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

const rounds = process.env['MOORING_TEST_FULL'] === '1' ? 20 : 5;

/** Creates tokens until the service dies, and records the acknowledged names. */
async function writeUntilKilled(service: Service, round: number, acknowledged: Set<string>): Promise<void> {
  const writer = async (lane: number) => {
    for (let i = 0; ; i++) {
      const name = `token ${round}-${lane}-${i}`;
      const response = await service.post('/api/tokens', { name, permissions: '*' }).catch(() => undefined);
      if (!response) return;
      if (response.status === 201) acknowledged.add(name);
      await response.text().catch(() => '');
    }
  };
  const writers = [0, 1, 2, 3].map(writer);
  const enough = acknowledged.size + 2 + Math.floor(Math.random() * 30);
  await until('some writes are acknowledged', () => acknowledged.size >= enough);
  await sleep(Math.random() * 20);
  await service.stop('SIGKILL');
  await Promise.all(writers);
}

it(`keeps every acknowledged write through ${rounds} kill -9, and restarts unaided`, async () => {
  const dataDir = newFolder('data');
  const acknowledged = new Set<string>();
  for (let round = 0; round < rounds; round++)
    await writeUntilKilled(await startService({ dataDir }), round, acknowledged);
  const service = await startService({ dataDir });
  const { data } = (await (await service.get('/api/tokens')).json()) as { data: { name: string }[] };
  const kept = new Set(data.map(({ name }) => name));
  expect([...acknowledged].filter((name) => !kept.has(name))).toEqual([]);
  await service.stop();
  const database = new DatabaseSync(join(dataDir, 'mooring.db'));
  expect(database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  const unaudited =
    'select count(*) as count from tokens where id not in (select target_id from audit_entries where target_id is not null) and name != ?';
  expect(
    database.prepare(unaudited).get('first token, from the environment'),
    'no change without its audit entry',
  ).toEqual({ count: 0 });
  database.close();
});
