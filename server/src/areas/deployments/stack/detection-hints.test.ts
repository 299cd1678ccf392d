import { expect, it } from 'vitest';
import { detectionHintsOf, monorepoSentence, unsetSentence, withDetectionHints } from './detection-hints.ts';

const app = (rootDirectory: string) => ({ name: rootDirectory, rootDirectory, framework: 'next' });
const variable = (key: string) => ({ key, value: 'x', secret: false, buildTime: false });
const failure = { code: 'crashed', step: 'check', message: 'The app crashed', hint: 'Fix the error and deploy again.' };

it('adds unset variables and the apps of a monorepo to a failure, with commands', () => {
  const hints = detectionHintsOf(
    {
      apps: [app('apps/web'), app('apps/docs')],
      defaults: [],
      generated: [],
      variables: ['A', 'DATABASE_URL', 'PORT'].map((key) => ({ key, example: null })),
    },
    { rootDirectory: '', variables: [variable('A')] },
  );
  expect(withDetectionHints(failure, hints, { slug: 'shop' }).hint).toBe(
    'Fix the error and deploy again. The source is a monorepo. Deploy one of its apps: `mooring deploy --root apps/web` or ' +
      '`mooring deploy --root apps/docs`. 1 variable that the source names is not set: DATABASE_URL. Set it with ' +
      '`mooring env set shop DATABASE_URL`.',
  );
  expect(withDetectionHints({ ...failure, code: 'disk_full' }, hints, { slug: 'shop' }).hint).toBe(failure.hint);
});

it('does not repeat the variable that the hint names', () => {
  const named = { ...failure, hint: 'SECRET_KEY is not set. Set it.' };
  const hintWith = (unset: string[]) => withDetectionHints(named, { apps: [], unset }, { slug: 'shop' }).hint;
  expect(hintWith(['SECRET_KEY'])).toBe(named.hint);
  expect(hintWith(['SECRET_KEY', 'KEY'])).toContain('1 variable that the source names is not set: KEY.');
});

it('lists the first of many variables', () => {
  const unset = Array.from({ length: 14 }, (_, i) => `KEY_${i}`);
  expect(unsetSentence({ apps: [], unset })).toBe(
    '14 variables that the source names are not set: KEY_0, KEY_1, KEY_2, KEY_3, KEY_4 and 9 more',
  );
  expect([unsetSentence({ apps: [], unset: [] }), monorepoSentence({ apps: [], unset })]).toEqual([
    undefined,
    undefined,
  ]);
});

it('does not suggest the folder that is being deployed', () => {
  const found = { apps: [app('apps/web')], defaults: [], generated: [], variables: [] };
  expect(detectionHintsOf(found, { rootDirectory: 'apps/web', variables: [] }).apps).toEqual([]);
});
