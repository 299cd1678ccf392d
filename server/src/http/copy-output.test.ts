import { expect, it } from 'vitest';
import { z } from '../lib/zod/index.ts';
import { isoTime } from './responses.ts';
import { compileOutput } from './copy-output.ts';

const Item = z.object({
  id: z.string(),
  count: z.number(),
  isOn: z.boolean(),
  kind: z.enum(['a', 'b']),
  note: z.string().nullable(),
  more: z.string().optional(),
  permissions: z.union([z.literal('*'), z.array(z.string())]),
  target: z.discriminatedUnion('type', [
    z.object({ type: z.literal('server'), host: z.string() }),
    z.object({ type: z.literal('local') }),
  ]),
  labels: z.record(z.string(), z.string()),
  size: z.number().int().min(1),
});
const Output = z.object({ success: z.literal(true), data: z.array(Item) });
const item = {
  id: 'x',
  count: 1.5,
  isOn: false,
  kind: 'b',
  note: null,
  permissions: ['p'],
  target: { type: 'server', host: 'h' },
  labels: { a: 'b' },
  size: 3,
};
const answer = (change: object = {}) => ({ success: true, data: [item, { ...item, ...change }] });

it.each([{}, { more: 'm', note: 'n', permissions: '*', target: { type: 'local' } }])(
  'copies what the schema names: %j',
  (change) => expect(compileOutput(Output)(answer(change))).toEqual(Output.parse(answer(change))),
);

it('drops fields that the schema does not name, at every depth', () => {
  const secret = { passwordHash: 'secret' };
  const given = { ...answer({ ...secret, target: { type: 'local', ...secret, host: 'secret' } }), ...secret };
  expect(JSON.stringify(compileOutput(Output)(given))).not.toContain('secret');
});

it.each([
  { id: 1 },
  { count: NaN },
  { count: '1' },
  { isOn: 1 },
  { kind: 'c' },
  { note: undefined },
  { more: null },
  { permissions: [1] },
  { target: { type: 'server' } },
  { target: [] },
  { labels: { a: 1 } },
  { size: 0 },
  { size: 1.5 },
])('refuses what does not fit, in the words of the schema: %j', (change) => {
  const { error } = Output.safeParse(answer(change));
  expect(() => compileOutput(Output)(answer(change))).toThrow(error!.message);
});

it('formats times like the language does', () => {
  const times = [0, -1, 1, 999, 86_399_999, 86_400_000, 951_782_400_000, 1_763_430_000_123, 253_402_300_800_000, -1e14];
  for (const time of times) expect(isoTime(time)).toBe(new Date(time).toISOString());
  for (const time of [NaN, Infinity, 8.64e15 + 1]) expect(() => isoTime(time)).toThrow(RangeError);
});
