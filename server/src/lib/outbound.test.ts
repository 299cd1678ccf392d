import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectOutbound, isAllowed, OutboundError, resolveOutbound } from './outbound.ts';

describe('outbound connections', () => {
  it.each([
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '0.0.0.0',
    '::',
    'fe80::1',
    'fd00:ec2::254',
    '100.100.100.200',
    '168.63.129.16',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::168.63.129.16',
    '64:ff9b::100.100.100.200',
    '64:ff9b:1::a9fe:a9fe',
    '64:ff9b:1:a9fe:a9:fe00::',
    '2002:a9fe:a9fe::1',
    '2002:a83f:8110::',
    '224.0.0.1',
    '255.255.255.255',
    'not an address',
  ])('never go to %s', (address) => {
    expect(isAllowed(address, 'private')).toBe(false);
    expect(isAllowed(address, 'public')).toBe(false);
  });

  it.each([
    '127.0.0.1',
    '127.9.9.9',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    'fc00::1',
    'fd12::1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
  ])('go to %s only within private reach', (address) => {
    expect(isAllowed(address, 'private')).toBe(true);
    expect(isAllowed(address, 'public')).toBe(false);
  });

  it('go to allowed private ranges, and to no others', () => {
    const reach = ['10.1.0.0/16', '127.0.0.1', 'fd12::/16', '169.254.0.0/16'];
    for (const address of ['10.1.2.3', '127.0.0.1', '::ffff:10.1.2.3', 'fd12::5', '93.184.216.34'])
      expect([address, isAllowed(address, reach)]).toEqual([address, true]);
    for (const address of ['10.2.0.1', '127.0.0.2', 'fd13::1', '169.254.169.254', '192.168.0.1'])
      expect([address, isAllowed(address, reach)]).toEqual([address, false]);
  });

  it.each(['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946', '172.32.0.1', '9.255.255.255', '11.0.0.1'])(
    'go to %s',
    (address) => {
      expect(isAllowed(address, 'public')).toBe(true);
    },
  );

  it.each(['2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', '[::ffff:169.254.169.254]'])(
    'do not go to %s in any notation',
    async (host) => {
      await expect(resolveOutbound(host, 'private')).rejects.toThrow(OutboundError);
    },
  );

  it('report what is wrong, in time', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const to = (host: string, at = port) =>
      connectOutbound({ host, port: at, reach: 'private' }, { deadlineMs: 2_000 });
    (await to('localhost')).destroy();
    await expect(to('no-such-name.invalid')).rejects.toMatchObject({ code: 'not_found' });
    await expect(to('127.0.0.1', 1)).rejects.toMatchObject({ code: 'unreachable' });
    await expect(
      connectOutbound({ host: '127.0.0.1', port, reach: 'public' }, { deadlineMs: 2_000 }),
    ).rejects.toMatchObject({ code: 'refused' });
    const began = Date.now();
    // An address reserved for documentation: it never responds, or the network rejects it at once.
    await expect(
      connectOutbound({ host: '192.0.2.1', port: 9, reach: 'public' }, { deadlineMs: 300 }),
    ).rejects.toMatchObject({ code: expect.stringMatching(/timeout|unreachable/) });
    expect(Date.now() - began).toBeLessThan(2_000);
  });
});
