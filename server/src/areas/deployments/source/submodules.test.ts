import { expect, it } from 'vitest';
import { absoluteAddress, publicAddress } from './submodules.ts';

it.each([
  ['../theme.git', 'https://git.example.com/team/site.git', 'https://git.example.com/team/theme.git'],
  ['./docs', 'ssh://git@host:2222/team/site.git', 'ssh://git@host:2222/team/site.git/docs'],
  ['../../other/x', 'git@github.com:team/site.git', 'git@github.com:other/x'],
  ['../../../../x', 'https://host/a.git', 'https://host/x'],
  ['https://host/y.git', 'git@github.com:team/site.git', 'https://host/y.git'],
])('resolves %s in %s', (url, parent, absolute) => expect(absoluteAddress(url, parent)).toBe(absolute));

it.each([
  ['git@github.com:team/theme.git', 'https://github.com/team/theme.git'],
  ['ssh://git@host.example:2222/team/theme', 'https://host.example/team/theme'],
  ['https://host/y.git', 'https://host/y.git'],
  ['/etc', '/etc'],
])('asks for %s without a key at %s', (url, address) => expect(publicAddress(url)).toBe(address));
