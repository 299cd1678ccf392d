import { describe, expect, it } from 'vitest';
import { z } from '../lib/zod/index.ts';
import { storedJson } from './stored-json.ts';

const Values = z.object({ name: z.string(), size: z.number().optional() });
const valuesIn = storedJson('backup_destinations.secrets', Values);

describe('stored JSON', () => {
  it('keeps unknown keys, and null', () => {
    const text = '{"later":[1],"name":"a"}';
    expect(JSON.stringify(valuesIn(text))).toBe(text);
    expect(valuesIn(null)).toBeNull();
  });

  it.each([
    ['{"name":{"key":"hunter2"}}', 'backup_destinations.secrets does not fit its schema at name (invalid_type)'],
    ['"hunter2"', 'backup_destinations.secrets does not fit its schema at the top level (invalid_type)'],
    ['hunter2', 'backup_destinations.secrets is not JSON'],
  ])('names the column and the path, not the value, of %s', (text, message) => {
    expect(() => valuesIn(text)).toThrow(new Error(message));
  });
});
