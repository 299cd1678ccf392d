import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { deploymentEvents } from '../src/deployments/stream.ts';

const server = createServer();
afterEach(() => void server.removeAllListeners('request').close());

const event = (seq: number, type = 'log') =>
  `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ seq, at: '2026-01-01T00:00:00.000Z', line: `line ${seq} ü` })}\n\n`;

type Answer = (response: ServerResponse) => void;

/** Returns what the client receives from a service that answers its connections like this, in order. */
async function follow(answers: Answer[]): Promise<{ seqs: number[]; asked: string[]; contact: string[] }> {
  const asked: string[] = [];
  server.on('request', ({ url = '' }, response) => {
    asked.push(url.replace(/^.*\?/, ''));
    answers.shift()!(response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const seqs: number[] = [];
  const contact: string[] = [];
  for await (const { seq } of deploymentEvents({ url, token: 'x' }, 'dep_1', (state) => contact.push(state)))
    seqs.push(seq);
  return { seqs, asked, contact };
}

test('a broken stream resumes without duplicate events', async () => {
  const result = await follow([
    (response) => response.end(event(1) + event(2)),
    (response) => response.writeHead(503).end('{}'),
    (response) => {
      response.write(`: still here\n\n${event(2)}${event(3)}id: 4\nevent: log\ndata: {"seq"`);
      setTimeout(() => response.destroy(), 50);
    },
    (response) => {
      const bytes = Buffer.from(event(4) + event(5, 'end'));
      response.write(bytes.subarray(0, 62));
      setTimeout(() => response.end(bytes.subarray(62)), 50);
    },
  ]);
  expect(result.seqs).toEqual([1, 2, 3, 4, 5]);
  expect(result.asked).toEqual(['since=0', 'since=2', 'since=2', 'since=3']);
  expect(result.contact).toEqual(['lost', 'back', 'lost', 'back']);
});

test('after the end the client does not wait', async () => {
  const result = await follow([(response) => response.end(event(1)), (response) => response.writeHead(204).end()]);
  expect(result.seqs).toEqual([1]);
});

test('a deleted deployment is an error at once', async () => {
  const answer: Answer = (response) => response.writeHead(404).end('{"error":"there is no such deployment"}');
  await expect(follow([answer])).rejects.toThrow('there is no such deployment');
});
