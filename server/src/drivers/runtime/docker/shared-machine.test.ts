import { expect, it } from 'vitest';
import { bridgeNetworkProblems } from './shared-machine.ts';

const icc = { 'com.docker.network.bridge.enable_icc': 'false' };
const named = (name: string) => ({ Options: { ...icc, 'com.docker.network.bridge.name': name } });

it('lists the engine settings that do not suit a shared server', () => {
  expect(bridgeNetworkProblems(named('docker0'), '127.0.0.1', ['lo', 'eth0', 'docker0'])).toEqual([]);
  expect(bridgeNetworkProblems({ Options: null }, '127.0.0.1', ['docker0'])).toEqual([
    expect.stringContaining('"icc": false'),
  ]);
  expect(bridgeNetworkProblems(named('own0'), '127.0.0.1', ['own0'])).toEqual([
    expect.stringContaining('is called own0'),
  ]);
  expect(bridgeNetworkProblems(named('docker0'), '10.0.0.1', ['docker0'])).toEqual([
    expect.stringContaining('10.0.0.1'),
  ]);
});

it("reports that the firewall has no effect where the engine's networks are elsewhere", () => {
  expect(bridgeNetworkProblems(named('docker0'), '127.0.0.1', ['lo', 'eth0'])).toEqual([
    expect.stringContaining('there is no docker0'),
  ]);
});
