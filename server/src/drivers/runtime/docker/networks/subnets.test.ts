import { describe, expect, it } from 'vitest';
import { ipv4Text } from '../../../../lib/addresses.ts';
import { ipamOf, rangeBeside, routesIn } from './subnets.ts';

describe('subnets of networks', () => {
  it.each([
    ['10.1.0.0/24', null, [], null],
    ['10.1.0.0/24', null, ['10.1.0.5'], '10.1.0.128/25'],
    ['10.1.0.0/24', null, ['10.1.0.200'], '10.1.0.0/25'],
    ['10.1.0.0/24', null, ['10.1.0.5', '10.1.0.200'], '10.1.0.128/26'],
    ['10.1.0.0/16', null, ['10.1.0.5', '10.1.255.254'], '10.1.128.0/18'],
    ['10.1.0.0/24', '10.1.0.128/25', ['10.1.0.5'], '10.1.0.128/25'],
    ['10.1.0.0/24', '10.1.0.128/25', ['10.1.0.130'], '10.1.0.192/26'],
    ['10.1.0.0/29', null, ['10.1.0.2'], '10.1.0.4/30'],
    ['10.1.0.0/29', null, ['10.1.0.2', '10.1.0.5'], null],
  ])('%s with the range %s and %j assigns from %s', (subnet, range, fixed, expected) => {
    expect(rangeBeside({ subnet, range, fixed })).toBe(expected);
  });

  it('has the first address as gateway, whatever its range is', () => {
    expect(ipamOf({ subnet: '10.1.0.0/24', gateway: null, range: null, fixed: ['10.1.0.5'] })).toEqual({
      IPAM: { Driver: 'default', Config: [{ Subnet: '10.1.0.0/24', Gateway: '10.1.0.1', IPRange: '10.1.0.128/25' }] },
    });
  });

  it('reads the routes of a machine', () => {
    const text = `Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t0102A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
tun0\t00000000\t0102A8C0\t0003\t0\t0\t0\t00000080\t0\t0\t0
eth0\t0002A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
odd\tx\n`;
    expect(routesIn(text).map(({ from, to, interface: name }) => [name, ipv4Text(from), ipv4Text(to)])).toEqual([
      ['eth0', '192.168.2.0', '192.168.2.255'],
      ['docker0', '172.17.0.0', '172.17.255.255'],
    ]);
  });
});
