import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';

vi.stubGlobal('localStorage', { getItem: () => null });
const { follow } = await import('./follow.ts');

let answers: ((response: ServerResponse) => void)[];
let resumedAfter: (string | undefined)[];
const service = createServer(({ headers }, response) => {
  resumedAfter.push(headers['last-event-id'] as string | undefined);
  answers.shift()!(response);
});
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => void service.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/`;
});
beforeEach(() => {
  resumedAfter = [];
});
afterAll(() => {
  service.close();
  vi.unstubAllGlobals();
});

const events = (text: string) => (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
const refused =
  (status: number, headers = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end('{"error":"no","code":"refused"}');
const complete = refused(204);

async function received(onEvent: (line: unknown) => void = () => {}): Promise<unknown[]> {
  const all: unknown[] = [];
  await follow(url, {
    signal: AbortSignal.timeout(20_000),
    onOpen: () => {},
    onEvent: ({ data }) => {
      all.push(data['line']);
      onEvent(data['line']);
    },
  });
  return all;
}

test('a stream that breaks is resumed after its last event', async () => {
  answers = [
    events('id: 7\ndata: {"line":"one"}\n\n'),
    refused(503),
    events('id: 8\ndata: {"line":"two"}\n\n'),
    complete,
  ];
  expect(await received()).toEqual(['one', 'two']);
  expect(resumedAfter).toEqual([undefined, '7', '7', '8']);
});

test('a rate limit does not end it, and is waited for as long as the service asks', async () => {
  answers = [refused(429, { 'retry-after': '1' }), events('data: {"line":"one"}\n\n'), complete];
  const began = performance.now();
  expect(await received()).toEqual(['one']);
  expect(performance.now() - began).toBeGreaterThan(1000);
});

test('other refusals end it', async () => {
  answers = [refused(404)];
  await expect(received()).rejects.toMatchObject({ status: 404, code: 'refused' });
});

test('an error of the page does not end it', async () => {
  const reported = vi.fn();
  vi.stubGlobal('reportError', reported);
  answers = [events('data: {"line":"one"}\n\ndata: {"line":"two"}\n\n'), complete];
  const broken = new Error('the page is broken');
  const all = received((line) => {
    if (line === 'one') throw broken;
  });
  expect(await all).toEqual(['one', 'two']);
  expect(reported.mock.calls).toEqual([[broken]]);
});
