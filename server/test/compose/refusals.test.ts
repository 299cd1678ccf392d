import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mistakesOf } from '../../src/compose/compose-rig.ts';
import { refusals } from './refusals.ts';

const said = JSON.parse(readFileSync(join(import.meta.dirname, 'refusals.json'), 'utf8')) as Record<string, string>;

describe('our parser rejects what Docker Compose rejects', () => {
  it.each(Object.keys(refusals))('%s', async (title) => {
    expect(said[title]).toBeTruthy();
    const mistakes = await mistakesOf(refusals[title]!);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toMatch(/^compose\.yaml:\d+: [a-z]/);
  });

  it('with no unused recorded rejections', () => expect(Object.keys(said)).toEqual(Object.keys(refusals)));
});

describe('error messages', () => {
  it.each([
    ['a version that is a number', 'compose.yaml:1: version: must be a string, not a number: put it in quotes'],
    [
      'a user that is a number',
      'compose.yaml:4: services.a.user: must be a string, not a whole number: put it in quotes',
    ],
    ['a date without quotes', 'not a date: put it in quotes'],
    ['ports that are left empty', 'compose.yaml:4: services.a.ports: must be a list, not empty'],
    ['a dependency without a condition', 'services.a.depends_on.b: needs condition'],
    ['a container name that is taken', 'compose.yaml:3: services.b.container_name: a already has this name'],
    ['a variable with a space before its sign', 'there is a space between the name and the equals sign'],
  ])('about %s', async (title, sentence) => expect((await mistakesOf(refusals[title]!))[0]).toContain(sentence));

  it('skip x- extension fields', async () => {
    expect(await mistakesOf('x-notes: {since: 2024-01-02}\nservices: {a: {image: x, x-since: 2024-01-02}}')).toEqual(
      [],
    );
  });
});
