import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMemoryRuntime } from '../../../drivers/runtime/memory.ts';
import type { Listening, Runtime } from '../../../drivers/runtime/runtime.ts';
import { portTrouble, PortWatch } from './port-trouble.ts';

const listening = (...sockets: [string, number][]): Listening => ({
  sockets: sockets.map(([address, port]) => ({ address, port })),
  port: 3000,
  isReached: ({ address, port }) => port === 3000 && address === '0.0.0.0',
});

it.each([
  [[], undefined],
  [[['0.0.0.0', 3000]], undefined],
  [
    [
      ['127.0.0.1', 9229],
      ['0.0.0.0', 3000],
    ],
    undefined,
  ],
  [[['127.0.0.1', 3000]], 'The app listens on 127.0.0.1:3000. It must listen on 0.0.0.0:$PORT (PORT is 3000)'],
  [[['::', 8080]], 'The app listens on [::]:8080. It must listen on 0.0.0.0:$PORT (PORT is 3000)'],
] as [[string, number][], string | undefined][])('%j', (sockets, sentence) => {
  expect(portTrouble(listening(...sockets))?.sentence).toBe(sentence);
});

it('suggests a port that the project could name', () => {
  expect(portTrouble(listening(['127.0.0.1', 5173], ['0.0.0.0', 8080]))?.nameable).toBe(8080);
  expect(portTrouble(listening(['127.0.0.1', 8080]))?.nameable).toBe(undefined);
});

it('does not mention PORT for a compose service', () => {
  expect(portTrouble(listening(['127.0.0.1', 3000]), true)?.sentence).toBe(
    'listens on 127.0.0.1:3000. It must listen on 0.0.0.0:3000',
  );
});

describe('watching an unresponsive app', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  async function failsAfter(
    seen: (second: number) => Listening,
    more: Partial<Runtime> = {},
  ): Promise<{ second: number | null; said: string[] }> {
    let second = 0;
    const said: string[] = [];
    const runtime = { ...createMemoryRuntime(), listening: async () => seen(second), ...more };
    const watch = new PortWatch({ runtime, deploymentId: 'dep_1' }, ({ sentence }) => said.push(sentence));
    for (; second < 60; second++) {
      if (await watch.certain()) return { second, said };
      vi.advanceTimersByTime(1000);
    }
    return { second: null, said };
  }

  it('fails after 15 s on loopback, and after 30 s on another port', async () => {
    expect(await failsAfter(() => listening(['127.0.0.1', 3000]))).toMatchObject({ second: 15 });
    expect(await failsAfter(() => listening(['0.0.0.0', 9090]))).toMatchObject({ second: 30 });
  });

  it('gives up sooner on the only port of an app that can be followed there', async () => {
    const follow = async () => undefined;
    expect(await failsAfter(() => listening(['0.0.0.0', 9090]), { follow })).toMatchObject({ second: 15 });
    const two = () => listening(['0.0.0.0', 9090], ['0.0.0.0', 9091]);
    expect(await failsAfter(two, { follow })).toMatchObject({ second: 30 });
  });

  it('continues if the right port opens in time', async () => {
    const late = (second: number) =>
      listening(['0.0.0.0', 9090], ...(second > 20 ? [['0.0.0.0', 3000] as [string, number]] : []));
    const { second, said } = await failsAfter(late);
    expect([second, said.length]).toEqual([null, 1]);
  });
});
