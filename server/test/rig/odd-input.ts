import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { newFolder } from './children.ts';

/** A folder that stays empty unless a value is executed. */
export function newCanary(): { folder: string; values: string[]; isAlive(): boolean } {
  const folder = newFolder('canary');
  const touch = (name: string) => `touch ${join(folder, name)}`;
  const values = [
    `$(${touch('a')})`,
    `\`${touch('b')}\``,
    `; ${touch('c')} #`,
    `x && ${touch('d')}`,
    `x | ${touch('e')}`,
    `x\n${touch('f')}\n`,
    `"; ${touch('g')}; "`,
    `'; ${touch('h')}; '`,
    `--upload-pack=${touch('i')}`,
    `-oProxyCommand=${touch('j')}`,
    `ext::sh -c ${touch('k').replaceAll(' ', '% ')}`,
    `--config=core.sshCommand=${touch('l')}`,
    `\${IFS}$(${touch('m').replaceAll(' ', '${IFS}')})`,
    `main;${touch('n').replaceAll(' ', '${IFS}')}`,
    `<(${touch('o')})`,
    `() { :; }; ${touch('p')}`,
    `!${touch('q')}`,
    `{{${touch('r')}}}`,
  ];
  return { folder, values, isAlive: () => existsSync(folder) && readdirSync(folder).length === 0 };
}

/** Texts that some parser interprets. */
export const oddTexts: string[] = [
  '',
  ' ',
  '\t\r\n',
  '-',
  '--',
  '-rf',
  '--help',
  '.',
  '..',
  '../../../../etc/passwd',
  '/etc/passwd',
  '/proc/self/environ',
  '~/.ssh/id_rsa',
  '..%2f..%2fetc%2fpasswd',
  'C:\\Windows',
  '\\\\host\\share',
  'a/../b',
  'a//b/./c/',
  '*',
  '%',
  '_',
  '%00',
  '\0',
  'a\0b',
  '\u001b]52;c;aGk=\u0007\u001b[2J',
  '\u202egnp.exe',
  '\u200b\ufeff',
  '\u2028\u2029',
  '\ud800',
  'a\udfffb',
  'e\u0301',
  'ﬁ ß ı İ',
  '😀'.repeat(30),
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' or '1'='1",
  "'; drop table projects; --",
  '{"$ne":null}',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '1e308',
  '-1',
  '0x10',
  '9'.repeat(40),
  'x'.repeat(300),
  'x'.repeat(5000),
  'ü'.repeat(40_000),
  '${jndi:ldap://127.0.0.1/a}',
  'file:///etc/passwd',
  'http://127.0.0.1:1/x.git',
  'http://169.254.169.254/latest',
  'https://user:hunter2-secret@127.0.0.1:1/x.git',
];

/** Any text: hostile, random, or an ordinary word. */
export const oddText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/) },
);

export const oddNumber = fc.constantFrom(
  0,
  -0,
  -1,
  1,
  2,
  80,
  0.5,
  65_536,
  1e9,
  2 ** 31,
  2 ** 53,
  1e308,
  -1e308,
  5e-324,
);

export const oddAnything = fc.oneof(
  oddText,
  oddNumber,
  fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null], { length: 1 }, [{}]),
  fc.jsonValue({ maxDepth: 3 }),
);
