import { describe, expect, it } from 'vitest';
import {
  addressGroup,
  rangeCovers,
  ipv4Number,
  ipv4Range,
  ipv4Text,
  isIpv4,
  isPrivate,
  rangesOverlap,
} from './addresses.ts';

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('groups %s as %s', (ip, group) => {
  expect(addressGroup(ip)).toBe(group);
});

describe('IPv4 addresses', () => {
  it.each([
    ['172.20.0.0/16', '172.20.0.0/16'],
    ['172.20.3.9/24', '172.20.3.0/24'],
    ['10.0.0.1/32', '10.0.0.1/32'],
    ['255.255.255.255/0', '0.0.0.0/0'],
  ])('reads %s as %s', (cidr, text) => expect(ipv4Range(cidr)!.text).toBe(text));

  it.each([
    '',
    '10.0.0.0',
    '10.0.0.0/33',
    '10.0.0/8',
    '256.0.0.0/8',
    '010.0.0.0/8',
    '10.0.0.0/08',
    'fd00::/64',
    ' 10.0.0.0/8',
  ])('does not read %j', (cidr) => expect(ipv4Range(cidr)).toBeUndefined());

  it('converts numbers and text', () => {
    for (const text of ['0.0.0.0', '192.168.1.254', '255.255.255.255']) expect(ipv4Text(ipv4Number(text))).toBe(text);
    expect(['1.2.3.4', '1.2.3', '1.2.3.256', '::1', '1.2.3.4\n'].map(isIpv4)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('compares ranges', () => {
    const [wide, narrow, other] = ['10.1.0.0/16', '10.1.2.0/24', '10.2.0.0/16'].map((cidr) => ipv4Range(cidr)!);
    expect([
      rangesOverlap(wide!, narrow!),
      rangesOverlap(narrow!, other!),
      rangeCovers(wide!, narrow!),
      rangeCovers(narrow!, wide!),
    ]).toEqual([true, false, true, false]);
  });

  it.each([
    ['10.5.0.0/16', true],
    ['100.64.0.0/16', true],
    ['172.31.0.0/16', true],
    ['192.168.7.0/24', true],
    ['100.100.0.0/16', false],
    ['172.32.0.0/16', false],
    ['172.0.0.0/8', false],
    ['169.254.169.0/24', false],
    ['127.0.0.0/24', false],
    ['0.0.0.0/0', false],
    ['224.0.0.0/24', false],
    ['8.8.8.0/24', false],
  ])('%s is private: %s', (cidr, is) => expect(isPrivate(ipv4Range(cidr)!)).toBe(is));
});
