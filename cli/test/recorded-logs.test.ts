import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type LogLine, runtimeLines } from '../src/deployments/recorded-logs.ts';
import { clientOf } from '../src/instance.ts';

const server = createServer();
afterEach(() => void server.removeAllListeners('request').close());

const line = (second: number, service: string, text: string): LogLine => ({
  at: `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`,
  kind: 'runtime',
  line: text,
  level: 'info',
  step: null,
  stream: 'stdout',
  service,
  replica: 1,
  seq: null,
});

test('late lines are shown, none twice, and none from before the start', async () => {
  const old = line(10, 'web', 'shown before');
  const first = [old, line(12, 'web', 'a'), line(12, 'web', 'a')];
  const answers = [first, [...first, line(11, 'job', 'late'), line(13, 'web', 'b')], []];
  const asked: string[] = [];
  server.on('request', ({ url = '' }, response) => {
    asked.push(new URL(url, 'http://x').search);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ success: true, data: answers.shift(), nextCursor: null }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const shown: string[] = [];
  for await (const each of runtimeLines(clientOf({ url, token: 'x' }), 'dep_1', { seen: [old], service: 'web' })) {
    shown.push(each.line);
    if (shown.length === 4) break;
  }
  expect(shown).toEqual(['a', 'a', 'late', 'b']);
  expect(asked).toHaveLength(2);
  for (const query of asked) expect(decodeURIComponent(query)).toMatch(/since=2026-01-01T00:00:10.000Z.*service=web/);
});
