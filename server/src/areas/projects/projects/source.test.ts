import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freeSlug, isReservedSlug, isSlug, slugOf } from './slug.ts';
import { ProjectSource } from './source.ts';

const accepts = (source: unknown) => ProjectSource.safeParse(source).success;
const git = (url: string) => accepts({ type: 'git', url });

describe('git URL validation', () => {
  it.each([
    'https://example.com/owner/repo.git',
    'http://localhost:3000/a',
    'http://127.0.0.1/a',
    'ssh://git@example.com:2222/owner/repo',
    'ssh://example.com/repo',
    'git@github.com:owner/repo.git',
    'git@host:repo',
  ])('accepts %s', (url) => expect(git(url)).toBe(true));

  it.each([
    '',
    '/etc/passwd',
    './x',
    'file:///etc',
    'FILE:///etc',
    'ext::sh -c id',
    'ext::sh%20-c%20id',
    'git://example.com/x',
    'ftp://example.com/x',
    '-uhttps://example.com/x',
    '--upload-pack=id',
    'ssh://-oProxyCommand=id/x',
    'ssh://-oProxyCommand=id@host/x',
    'ssh://%2DoProxyCommand=id@host/x',
    'ssh://git:secret@host/x',
    'ssh://host/-x',
    '-oProxyCommand=id@host:x',
    'git@-oProxyCommand=id:x',
    'git@host:-x',
    'git@host::x',
    'git@host:a b',
    'https://token@example.com/x',
    'https://user:secret@example.com/x',
    'https://example.com/x?token=1',
    'https://example.com/x#y',
    'https://example.com',
    'https://exam ple.com/x',
    'https://example.com/x\ny',
    'https://example.com/%0a',
    'https://example.com\\@evil/x',
  ])('rejects %j', (url) => expect(git(url)).toBe(false));

  it('rejects credentials with a hint that does not repeat them', () => {
    const { error } = ProjectSource.safeParse({ type: 'git', url: 'https://u:p@example.com/x' });
    expect(error?.issues[0]?.message).toMatch(/must not carry credentials/);
    expect(error?.issues[0]?.message).not.toContain('u:p');
  });

  it('never accepts an option or white space', () =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'-:@/.ahgitsp \n\0%\\;$`'.split('')) }), (url) => {
        if (git(url)) expect(url).toMatch(/^(https?:\/\/|ssh:\/\/|[a-z.][a-z.-]*@)[^-\s][^\s\\]*$/);
      }),
      { numRuns: 2000 },
    ));
});

describe('project source validation', () => {
  it.each(['main', 'feature/x', 'v1.0', 'ü'])('accepts the branch %s', (branch) =>
    expect(accepts({ type: 'git', url: 'https://a/b', branch })).toBe(true),
  );
  it.each(['', '-x', '--upload-pack=id', 'a..b', 'a b', 'a\n', 'a~1', 'a:b', '/a', 'a/', 'a.lock', '@', 'a@{1}', '.a'])(
    'rejects the branch %j',
    (branch) => expect(accepts({ type: 'git', url: 'https://a/b', branch })).toBe(false),
  );
  it.each(['..', '.', '-x', 'a/b', 'a b', ''])('rejects the repository %j', (repo) =>
    expect(accepts({ type: 'githost', owner: 'o', repo })).toBe(false),
  );
  it('rejects anything else', () => {
    for (const source of [null, 'git', {}, { type: 'file', path: '/' }, { type: 'local', path: 'relative' }])
      expect(accepts(source)).toBe(false);
  });
});

describe('slug', () => {
  it.each([
    ['My App', 'my-app'],
    ['Über  café!', 'uber-cafe'],
    ['東京', 'project'],
    ['---', 'project'],
    ['x'.repeat(80), 'x'.repeat(48)],
  ])('of %j is %s', (name, slug) => expect(slugOf(name)).toBe(slug));

  it('gets a number if it is taken or reserved', () => {
    expect(freeSlug('shop', new Set())).toBe('shop');
    expect(freeSlug('shop', new Set(['shop', 'shop-2']))).toBe('shop-3');
    expect(freeSlug('www', new Set())).toBe('www-2');
    expect(freeSlug('x'.repeat(48), new Set(['x'.repeat(48)])).length).toBeLessThanOrEqual(48);
  });

  it('of any name is valid', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (name, taken) => {
        const slug = freeSlug(slugOf(name), new Set(taken ? [slugOf(name)] : []));
        expect(isSlug(slug) && !isReservedSlug(slug)).toBe(true);
      }),
    ));

  it.each(['A', '-a', 'a-', 'a--b', 'a_b', 'a.b', '', 'x'.repeat(49)])('cannot be %j', (slug) =>
    expect(isSlug(slug)).toBe(false),
  );
});
