import { expect, it } from 'vitest';
import { InspectionSlots } from './inspection-slots.ts';

/** Takes slots and holds them until released. */
function crowd(places: InspectionSlots) {
  const held = Promise.withResolvers<void>();
  const names: string[] = [];
  const all: Promise<unknown>[] = [];
  return {
    names,
    /** Returns how many of the requests got a slot. */
    async come(organization: string, count: number): Promise<number> {
      const before = names.length;
      const refused: unknown[] = [];
      for (let i = 0; i < count; i++)
        all.push(
          places.taken(organization, (name) => (names.push(name), held.promise)).catch((error) => refused.push(error)),
        );
      await new Promise(setImmediate);
      expect(refused.length + names.length - before).toBe(count);
      for (const error of refused)
        expect(error).toMatchObject({ code: 'rate_limited', extra: { retryAfterSeconds: 5 } });
      return names.length - before;
    },
    async letGo(): Promise<void> {
      held.resolve();
      await Promise.all(all);
    },
  };
}

it('leaves slots to others, however many one organization requests', async () => {
  const places = new InspectionSlots('looking');
  const first = crowd(places);
  expect(await first.come('greedy', 20)).toBe(4);
  expect(await first.come('second', 20)).toBe(4);
  expect(await first.come('greedy', 1), 'further ones of the same wait').toBe(0);
  for (const each of ['third', 'fourth', 'fifth']) expect(await first.come(each, 5), each).toBe(1);
  expect(first.names.every((name) => places.has(name))).toBe(true);
  await first.letGo();
  expect(first.names.some((name) => places.has(name))).toBe(false);
  const again = crowd(places);
  expect(await again.come('greedy', 20)).toBe(4);
  await again.letGo();
});

it('has a total limit', async () => {
  const many = crowd(new InspectionSlots('looking'));
  let all = 0;
  for (let i = 0; i < 100; i++) all += await many.come(`organization ${i}`, 3);
  expect(all).toBeLessThanOrEqual(24);
  await many.letGo();
});
