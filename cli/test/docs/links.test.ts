import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf, docs } from './page.ts';

const root = dirname(docs);
const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], { cwd: root })
  .toString()
  .trim()
  .split('\n')
  .filter((file) => !file.startsWith('examples/') && existsSync(join(root, file)));

const withoutBlocks = (text: string) => text.replaceAll(/^([ \t]*)```[\s\S]*?^\1```/gm, '');
const withoutCode = (text: string) => withoutBlocks(text).replaceAll(/`[^`\n]*`/g, 'code');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** As GitHub and VitePress make them. */
const anchorsOf = (text: string) =>
  [...withoutBlocks(text).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[`*]/g, '')
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );

describe.each(pages)('%s', (page) => {
  const text = read(page);
  it('has no dead link', () => {
    const dead = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link]) => link!)
      .filter((link) => !/^(https?:|mailto:)/.test(link))
      .filter((link) => {
        const [path, anchor] = link.split('#') as [string, string?];
        const file = path === '' ? page : relative(root, join(root, dirname(page), path));
        if (!existsSync(join(root, file))) return true;
        return anchor !== undefined && !anchorsOf(read(file)).includes(anchor);
      });
    expect(dead).toEqual([]);
  });

  it.skipIf(text.includes('by `npm run generate`'))('has lines of prose under 120 characters', () => {
    const long = withoutBlocks(text)
      .split('\n')
      .filter((line) => line.length > 120 && !line.trim().startsWith('|'));
    expect(long).toEqual([]);
  });
});

it('begins no line of prose with a placeholder, which is markup on the site', () => {
  const lines = pages
    .filter((page) => page.startsWith('docs/'))
    .flatMap((page) => withoutBlocks(read(page)).split('\n'));
  expect(lines.filter((line) => /^\s*<[a-z]+>/.test(line))).toEqual([]);
});

it('runs the commands of every guide', () => {
  const tests = readdirSync(import.meta.dirname).filter((file) => /\.(test|full)\.ts$/.test(file));
  const code = tests.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n');
  const guides = pages.filter((page) => page.startsWith('docs/guides/') || page === 'docs/getting-started.md');
  const left = guides
    .filter((page) => blocksOf(read(page)).some(({ info }) => info === 'sh'))
    .map((page) => basename(page, '.md'))
    .filter((name) => !new RegExp(`['/]${name}(\\.md)?'`).test(code));
  expect(left).toEqual([]);
});
