import { describe, expect, it } from 'vitest';
import { recordsIn } from '../src/pages/domains/dns-records.ts';

const name = 'shop.example.com';

describe('DNS records in a message', () => {
  it('are the addresses for the domain, each once', () => {
    const fix = `Point the A and AAAA records of ${name} to 203.0.113.7 or 2001:db8::7, and remove records that point elsewhere.`;
    expect(recordsIn(fix, name)).toEqual([
      { type: 'A', name, value: '203.0.113.7' },
      { type: 'AAAA', name, value: '2001:db8::7' },
    ]);
    expect(recordsIn('to 203.0.113.7 (203.0.113.7).', name)).toHaveLength(1);
  });

  it.each([
    'Point shop.example.com to a public address of this machine.',
    'Open port 8080 in the firewall, and forward it to the edge of this machine.',
    'Create an A record for shop.example.com that points to this machine. New records take a few minutes to spread.',
    'Mooring retries at 2026-11-15T10:20:30.000Z.',
    'the TXT record _mooring.shop.example.com also names that project; remove that value first',
    'The TXT record of shop.example.com is missing.',
    '',
  ])('are not found in: %s', (sentence) => {
    expect(recordsIn(sentence, name)).toEqual([]);
  });

  it.each([
    [
      'if the domain is yours, create the TXT record _mooring.shop.example.com with the value mooring-owner=0a1b2c and add it to the project again (there is no such record yet)',
      '_mooring.shop.example.com',
      'mooring-owner=0a1b2c',
    ],
    ['set a TXT record at _mooring.shop.example.com with the value "k3v9"', '_mooring.shop.example.com', 'k3v9'],
    [
      'set the TXT record _mooring.shop.example.com to mooring=a1b2c3d4.',
      '_mooring.shop.example.com',
      'mooring=a1b2c3d4',
    ],
    ['create a TXT record for shop.example.com: `prj_01hz8k2m4n6p`', name, 'prj_01hz8k2m4n6p'],
    ['add TXT mooring-0123456789abcdef0123 and ask again', name, 'mooring-0123456789abcdef0123'],
  ])('are a TXT record in: %s', (sentence, at, value) => {
    expect(recordsIn(sentence, name)).toEqual([{ type: 'TXT', name: at, value }]);
  });
});
