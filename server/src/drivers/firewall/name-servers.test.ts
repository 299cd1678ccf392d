import { expect, it } from 'vitest';
import { nameServersIn } from './name-servers.ts';

it('finds the name servers that containers use', () => {
  const text = `# nameserver 9.9.9.9
nameserver 10.0.0.2
  nameserver\t169.254.169.253 # of the cloud
nameserver 10.0.0.2
nameserver 127.0.0.53
nameserver ::1
nameserver fe80::1%eth0
nameserver fd00::53
nameserver what; rm -rf
search example.com
`;
  expect(nameServersIn(text)).toEqual(['10.0.0.2', '169.254.169.253', 'fe80::1', 'fd00::53']);
});
