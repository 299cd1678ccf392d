import { describe, expect, it } from 'vitest';
import { readIgnoreRules } from './ignore-rules.ts';

/** Lines of a `.dockerignore`, ignored paths and sent paths. Verified against the Docker 20.10 CLI, which differs in
 * two rows (regex characters, exceptions with wildcards), where later versions follow the documentation. */
const table: [name: string, lines: string, ignored: string[], sent: string[]][] = [
  ['nothing', '', [], ['a', 'a/b']],
  ['a name', 'a', ['a', 'a/b', 'a/b/c'], ['b', 'b/a', 'ab']],
  ['a name in a folder', 'a/b', ['a/b', 'a/b/c'], ['a', 'a/c', 'b']],
  ['a leading slash', '/a', ['a', 'a/b'], ['b/a']],
  ['a trailing slash', 'a/', ['a', 'a/b'], ['b']],
  ['dots and slashes', './a//b/../c', ['a/c'], ['a/b', 'a']],
  ['a star', '*.md', ['a.md', '.md'], ['a/b.md', 'a.mdx']],
  ['a star in a folder', '*/b', ['a/b', 'x/b/c'], ['b', 'a/x/b']],
  ['two stars', '**/b', ['b', 'a/b', 'a/x/b/c'], ['ab', 'a/bb']],
  ['two stars and an ending', '**/*.md', ['a.md', 'x/y/a.md'], ['a.txt']],
  ['two stars at the end', 'a/**', ['a/b', 'a/b/c'], ['a', 'b']],
  ['two stars in between', 'a/**/z', ['a/z', 'a/b/z', 'a/b/c/z'], ['a', 'a/b', 'z']],
  ['a question mark', 'a?', ['ab', 'ax'], ['a', 'abc', 'a/b']],
  ['a set', 'a[b-d]', ['ab', 'ad'], ['ae', 'a']],
  ['a set turned around', 'a[^b-d]', ['ae'], ['ab', 'a/x']],
  ['an escaped star', 'a\\*', ['a*'], ['ab']],
  ['characters of expressions', 'a.b+(c)$', ['a.b+(c)$'], ['axb+(c)$', 'a.bb(c)$']],
  ['comments and blanks', '# a\n\n  b  \n\t\n', ['b'], ['a', '# a']],
  ['a comment that is none', ' #a', ['#a'], ['a']],
  ['line ends of Windows and a mark', '\uFEFFa\r\nb\r\n', ['a', 'b'], ['c']],
  ['an exception', '*.md\n!README.md', ['a.md'], ['README.md']],
  ['the last one decides', '!README.md\n*.md', ['README.md'], []],
  ['an exception in a folder', 'docs\n!docs/api', ['docs', 'docs/x'], ['docs/api', 'docs/api/y']],
  ['an exception of an exception', '*\n!src\nsrc/secret', ['a', 'src/secret', 'src/secret/x'], ['src', 'src/a']],
  ['an exception anywhere', '*\n!**/*.go', ['a', 'x'], ['a.go', 'x/y.go']],
  ['blanks after the mark', 'a*\n! ab', ['aa'], ['ab']],
  ['everything', '*', ['a', '.a', 'a/b'], []],
  ['everything, in all depths', '**', ['a', 'a/b'], []],
  ['a single dot', '.', [], ['a', '.a']],
  ['names of other scripts', 'ä*\n💥', ['äb', '💥'], ['a', '💥💥']],
  ['above the folder', '../a', [], ['a']],
];

describe('.dockerignore', () => {
  it.each(table)('handles %s', (_, lines, ignored, sent) => {
    const rules = readIgnoreRules(lines);
    expect(ignored.filter((path) => !rules.ignores(path))).toEqual([]);
    expect(sent.filter((path) => rules.ignores(path))).toEqual([]);
  });

  it('knows which ignored folders may contain wanted files', () => {
    const rules = readIgnoreRules('a\nb\nc\n!a/x/y\n!b/**/keep');
    expect(['a', 'a/x', 'a/x/y', 'b', 'b/q/r'].map((each) => rules.mayWantInside(each))).toEqual(Array(5).fill(true));
    expect(['c', 'a/z', 'a/x/z'].map((each) => rules.mayWantInside(each))).toEqual(Array(3).fill(false));
  });

  it.each([
    ['!', 'is empty'],
    ['a\n[b', 'line 2'],
    ['a\\', 'not a valid pattern'],
    ['[]a]', 'not a valid pattern'],
  ])('rejects %j', (lines, why) => {
    expect(() => readIgnoreRules(lines)).toThrow(why);
  });

  it('takes proportional time, also for malicious patterns', () => {
    const rules = readIgnoreRules(`${'**/'.repeat(30)}x\n${'*a'.repeat(30)}b`);
    const began = Date.now();
    rules.ignores(`${'a/'.repeat(60)}y`);
    rules.ignores('a'.repeat(200));
    expect(Date.now() - began).toBeLessThan(1000);
  });
});
