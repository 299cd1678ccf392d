import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownerToken } from './app.ts';

/** A client that reads a stream slowly, and reconnects when it is disconnected. */
export interface SlowReader {
  /** The event numbers in the order of arrival. */
  ids: number[];
  connections: number;
  ended: Promise<void>;
}

export function readSlowly(url: string, id: string, pauseMs: number): SlowReader {
  const reader: SlowReader = { ids: [], connections: 0, ended: Promise.resolve() };
  const once = async () => {
    const answer = await opened(`${url}/api/deployments/${id}/stream?since=${reader.ids.at(-1) ?? 0}`);
    if (answer.statusCode === 204) return true;
    if (answer.statusCode !== 200) throw new Error(String(answer.statusCode));
    reader.connections++;
    let text = '';
    for await (const chunk of answer.setEncoding('utf8') as AsyncIterable<string>) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) if (block.startsWith('id:')) reader.ids.push(Number(/^id: (\d+)/.exec(block)![1]));
      if (blocks.some((block) => block.includes('\nevent: end\n'))) return true;
      await sleep(pauseMs);
    }
    return false;
  };
  reader.ended = (async () => {
    // It reconnects whenever it is disconnected.
    while (!(await once().catch(() => false))) await sleep(50);
  })();
  return reader;
}

const opened = (url: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${ownerToken}` };
    request(url, { headers, agent: false }, resolve).once('error', reject).end();
  });
