import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './deploy.ts';

export interface SteadyVisitor {
  requests: number;
  failures: string[];
  stop(): Promise<void>;
}

/** Requests an app every few milliseconds on a new connection, and records everything but a 200. */
export function startSteadyVisitor(url: string, everyMs = 50): SteadyVisitor {
  const stopping = new AbortController();
  const visitor: SteadyVisitor = { requests: 0, failures: [], stop: async () => {} };
  const visits = (async () => {
    while (!stopping.signal.aborted) {
      const at = new Date().toISOString();
      const said = await ask(url).catch((error: Error) => ({ status: 0, body: error.message }));
      visitor.requests++;
      if (said.status !== 200) visitor.failures.push(`${at} ${url}: ${said.status} ${said.body.slice(0, 80)}`);
      await sleep(everyMs);
    }
  })();
  visitor.stop = async () => {
    stopping.abort();
    await visits;
  };
  return visitor;
}
