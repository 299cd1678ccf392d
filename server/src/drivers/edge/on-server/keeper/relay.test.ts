import { expect, it } from 'vitest';
import { gatewayIn } from './relay.ts';

it('reads the default gateway', () => {
  const head = 'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT';
  const own = 'eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0';
  const gateway = 'eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0';
  expect(gatewayIn([head, gateway, own, ''].join('\n'))).toBe('172.17.0.1');
  expect(gatewayIn([head, own, ''].join('\n'))).toBeUndefined();
});
