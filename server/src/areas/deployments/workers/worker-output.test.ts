import { expect, it } from 'vitest';
import { WorkerOutput } from './worker-output.ts';

it('sends what gathered while the database was away, in order and in small batches', async () => {
  const sent: number[][] = [];
  let isAway = true;
  const output = new WorkerOutput(async (_, lines) => {
    if (isAway) throw new Error('Connection terminated unexpectedly');
    sent.push(lines.map(([line]) => Number(line)));
  });
  const all = Array.from({ length: 200_000 }, (_, n) => n);
  for (const n of all) output.add(String(n), 'stdout');
  await expect(output.end()).rejects.toThrow('Connection terminated');
  isAway = false;
  await output.end();
  output.close();
  expect(sent.flat()).toEqual(all);
  expect(Math.max(...sent.map(({ length }) => length))).toBe(1000);
});
