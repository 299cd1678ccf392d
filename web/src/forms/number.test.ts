import { expect, it } from 'vitest';
import { numberIn } from './number.ts';

it('reads a number and passes other text through unchanged', () => {
  expect(['8080', ' 0.5 ', '0', ''].map(numberIn)).toEqual([8080, 0.5, 0, undefined]);
  expect(JSON.stringify(['abc', '0,5', 'Infinity', '8080/tcp'].map(numberIn))).toBe(
    '["abc","0,5","Infinity","8080/tcp"]',
  );
});
