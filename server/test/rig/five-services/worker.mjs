// Takes jobs from Redis and stores the results in PostgreSQL.
import { writeFileSync } from 'node:fs';
import { postgres, redis } from './clients.mjs';

const ending = new AbortController();
process.on('SIGTERM', () => ending.abort());
while (!ending.signal.aborted) {
  const job = await redis('BLPOP', 'jobs', '1');
  if (job) {
    const values = `('${job[1]}', '${process.env.VERSION}')`;
    await postgres(`insert into results (key, worker) values ${values} on conflict do nothing`);
  }
  // Read by its health check.
  writeFileSync('/tmp/alive', '');
}
