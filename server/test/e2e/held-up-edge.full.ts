import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Agent } from 'node:http';
import { sayFigures } from '../rig/figures.ts';
import { ask, builtinEdges, portOf, project } from '../rig/edge.ts';

const { ensured, app } = builtinEdges();
const rounds = 5;

// An app closes idle connections after some seconds, which a stopped edge has not noticed yet.
it('an edge that was stopped for a while loses no request, not even non-idempotent ones', async () => {
  const edge = await ensured();
  await edge.point(project('a.localhost', 'dep_1', (await app('one')).target, 1));
  const stopping = new AbortController();
  const failures: string[] = [];
  let requests = 0;
  const lane = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (; !stopping.signal.aborted; requests++) {
      const sent = ask(portOf(edge), 'a.localhost', '/', { method: 'POST', body: 'pay', agent });
      const { status } = await sent.catch((error: Error) => ({ status: error.message }));
      if (status !== 200) failures.push(String(status));
      await sleep(Math.random() * 6);
    }
    agent.destroy();
  };
  const lanes = Array.from({ length: 8 }, lane);
  for (let i = 0; i < rounds; i++) {
    await sleep(1000);
    process.kill(edge.process, 'SIGSTOP');
    await sleep(7000);
    process.kill(edge.process, 'SIGCONT');
  }
  await sleep(500);
  stopping.abort();
  await Promise.all(lanes);
  sayFigures('held up', { rounds, requests, failures });
  expect(failures).toEqual([]);
}, 90_000);
