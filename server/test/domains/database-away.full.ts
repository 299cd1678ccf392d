import { afterEach, describe, expect, it } from 'vitest';
import { query, newDatabase, type Postgres, startPostgres } from '../rig/postgres.ts';
import type { TestApp } from '../rig/app.ts';
import { projectWith, ssl, startDomainsApp } from '../rig/domains.ts';
import { has } from '../rig/parts.ts';
import { startPebble } from '../rig/pebble.ts';
import { startSmallEdge } from '../rig/small-edge.ts';

describe.runIf(has('pebble') && has('postgres'))('an order during a PostgreSQL outage', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  /** Responds under the name, and takes the database down for two seconds after that many responses. */
  function goingAway(app: TestApp, postgres: Postgres, afterAnswers: number) {
    let answers = 0;
    const away = Promise.withResolvers<void>();
    const call: TestApp['call'] = async (...question) => {
      const answer = await app.call(...question);
      if (++answers !== afterAnswers) return answer;
      await postgres.stop();
      setTimeout(() => void postgres.start().then(away.resolve, away.reject), 2000);
      return answer;
    };
    return { answering: { ...app, call }, back: away.promise };
  }

  // We request the name first, to check that it points here; then the authority does, from three places.
  it.each([
    ['before the authority has heard of it', 1],
    ['after the authority has seen the proof', 4],
  ])('%s, completes with a single order', async (_, afterAnswers) => {
    const postgres = await startPostgres();
    closing.push(() => postgres.stop());
    const url = await newDatabase(postgres.url);
    const edge = await startSmallEdge();
    closing.push(() => edge.close());
    const pebble = await startPebble({ httpPort: edge.port });
    closing.push(() => pebble.stop());
    const app = await startDomainsApp('postgres', pebble, edge, { databaseUrl: url });
    closing.push(() => app.close());
    const name = 'patient.example.com';
    await projectWith(app, [name]);
    const { answering, back } = goingAway(app, postgres, afterAnswers);
    edge.answerBy(answering);
    const answer = await ssl(app, 'renew', name);
    await back;
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(name)]);
    expect(pebble.orders()).toBe(1);
    const rows = await query(url, 'select is_current, is_next from certificates');
    expect(rows).toEqual([{ is_current: 1, is_next: 0 }]);
    expect(await query(url, 'select status, attempts from certificate_orders')).toEqual([
      { status: 'done', attempts: 0 },
    ]);
  });
});
