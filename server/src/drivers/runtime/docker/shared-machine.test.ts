import { expect, it } from 'vitest';
import { complaintsAbout } from './shared-machine.ts';

const icc = { 'com.docker.network.bridge.enable_icc': 'false' };
const named = (name: string) => ({ Options: { ...icc, 'com.docker.network.bridge.name': name } });

it('lists the engine settings that do not suit a shared server', () => {
  expect(complaintsAbout(named('docker0'), '127.0.0.1', ['lo', 'eth0', 'docker0'])).toEqual([]);
  expect(complaintsAbout({ Options: null }, '127.0.0.1', ['docker0'])).toEqual([
    expect.stringContaining('"icc": false'),
  ]);
  expect(complaintsAbout(named('own0'), '127.0.0.1', ['own0'])).toEqual([expect.stringContaining('is called own0')]);
  expect(complaintsAbout(named('docker0'), '10.0.0.1', ['docker0'])).toEqual([expect.stringContaining('10.0.0.1')]);
});

it("reports that the firewall has no effect where the engine's networks are elsewhere", () => {
  expect(complaintsAbout(named('docker0'), '127.0.0.1', ['lo', 'eth0'])).toEqual([
    expect.stringContaining('there is no docker0'),
  ]);
});
