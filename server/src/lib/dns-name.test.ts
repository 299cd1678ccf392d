import { expect, it } from 'vitest';
import { dnsName } from './dns-name.ts';

it.each([
  ['www.example.com', 'www.example.com'],
  [' WWW.Example.COM. ', 'www.example.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['_dmarc.example.com', '_dmarc.example.com'],
  ['a.b', 'a.b'],
])('normalizes %s to %s', (text, name) => {
  expect(dnsName(text)).toBe(name);
});

it.each([
  '',
  ' ',
  '.',
  'localhost',
  '127.0.0.1',
  '[::1]',
  '0x7f.1',
  '1.2',
  '-a.example.com',
  'a-.example.com',
  'a..example.com',
  '*.example.com',
  'a b.example.com',
  'a/b.example.com',
  'user@example.com',
  'example.com:80',
  'www.example.com/path',
  'www.example.com?x',
  'www.example.com#x',
  String.raw`www.example.com\x`,
  'www%2eexample.com',
  '127。0。0。1',
  `${'a'.repeat(64)}.com`,
  `${'a.'.repeat(130)}com`,
  'a\u0000.com',
  '\ud800.com',
])('rejects %j', (text) => {
  expect(dnsName(text)).toBeUndefined();
});
