// `npm run messages [-- <folder>…]`: prints every user-visible text in the sources by file and line, for proofreading.
// Omits texts of fewer than three words, class names and SQL.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { root } from './paths.mjs';

const folders = process.argv.slice(2);
const tracked = execFileSync(
  'git',
  ['ls-files', '--', ...(folders.length ? folders : ['server/src', 'cli/src', 'web/src', 'client/src'])],
  {
    cwd: root,
    encoding: 'utf8',
  },
);
const sources = tracked
  .split('\n')
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.|-rig\.|contract\.ts$|^client\/src\/api\.ts$/.test(path));

let count = 0;
for (const path of sources) {
  const text = readFileSync(join(root, path), 'utf8');
  const found = [];
  collect(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }), text, found);
  if (!found.length) continue;
  console.log(`\n# ${path}`);
  for (const { at, words } of found) console.log(`${text.slice(0, at).split('\n').length}: ${words}`);
  count += found.length;
}
console.error(`${count} texts`);

function collect(node, text, found) {
  if (!node || typeof node !== 'object') return;
  if (Array.isArray(node)) return node.forEach((each) => collect(each, text, found));
  if (
    /^(Import|ExportAll|TS)/.test(node.type) &&
    node.type !== 'TSAsExpression' &&
    node.type !== 'TSSatisfiesExpression'
  )
    return;
  if (node.type === 'JSXAttribute' && node.name.name === 'className') return;
  const words = wordsOf(node, text)?.replaceAll(/\s+/g, ' ').trim();
  if (words && isText(words)) found.push({ at: node.start, words });
  for (const [key, child] of Object.entries(node)) if (key !== 'typeAnnotation') collect(child, text, found);
}

function wordsOf(node, text) {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'JSXText') return node.value;
  if (node.type !== 'TemplateLiteral') return undefined;
  const named = node.expressions.map(({ start, end }) => `{${text.slice(start, end).slice(0, 40)}}`);
  return node.quasis.map(({ value }, index) => value.cooked + (named[index] ?? '')).join('');
}

function isText(words) {
  return (
    words.split(' ').length > 2 &&
    /[a-z{}]{2,}[,:;]? [a-z({`'"]/i.test(words) &&
    !/(^| )(flex|grid|rounded|text|bg|border|px|py|mt|gap|size)-[a-z0-9-]+( |$)/.test(words) &&
    !/^(select|insert|update|delete|create|alter|drop|with|pragma) /i.test(words) &&
    !/[{;]\s*return |=> |;\s*\w+ =/.test(words)
  );
}
