import { expect, it } from 'vitest';
import { cloudRefusal } from './cloud-error.ts';

const shown = (status: number, body: object) => {
  const error = cloudRefusal({ status, body });
  return [error.status, error.code, error.message];
};

it('maps a rejection of the cloud to an error with its code and message', () => {
  expect(shown(403, { error: 'too many', code: 'limit_reached' })).toEqual([403, 'limit_reached', 'too many']);
  expect(shown(409, { error: 'taken', code: 'conflict' })).toEqual([409, 'conflict', 'taken']);
  for (const code of ['a_new_one', 'internal', 'toString', undefined])
    expect(shown(403, { error: 'no', code })).toEqual([403, 'forbidden', 'no']);
  expect(shown(409, { no: 'error' })).toEqual([503, 'cloud_unreachable', 'cloud_unreachable']);
  expect(shown(500, { error: 'x', code: 'internal' })).toEqual([503, 'cloud_unreachable', 'cloud_unreachable']);
});

it('reports why a responding cloud cannot handle the request', () => {
  const { extra } = cloudRefusal({
    status: 503,
    body: { error: 'this cloud has no container runtime', code: 'unavailable' },
  });
  expect(extra.message).toBe('the cloud answers with status 503: this cloud has no container runtime; try again');
});
