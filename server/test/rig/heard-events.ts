import { expect } from 'vitest';
import { until } from './until.ts';

/** Follows `GET /api/events`. The events that arrive after `ready` are added to the list as `<event> <data>`. */
export async function hearEvents(url: string, token: string, signal: AbortSignal): Promise<string[]> {
  const heard: string[] = [];
  const response = await fetch(`${url}/api/events`, { headers: { authorization: `Bearer ${token}` }, signal });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  void (async () => {
    let text = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks)
        if (!block.startsWith(':')) heard.push(block.replace(/^id: \d+\nevent: (\w+)\ndata: /, '$1 '));
    }
  })().catch(() => {});
  await until('it is told that it is there', () => heard.length > 0);
  expect(heard.splice(0)).toEqual(['ready {}']);
  return heard;
}
