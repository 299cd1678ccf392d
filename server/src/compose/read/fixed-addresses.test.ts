import { describe, expect, it } from 'vitest';
import { mistakesOf, projectOf, warningsOf } from '../compose-rig.ts';

const file = (ipam: string, a = '', more = '') => `services:
  a: {image: x, networks: {n: {${a}}}${more}}
  b: {image: x, networks: {n: {ipv4_address: 172.28.0.6}}}
networks:
  n: {ipam: ${ipam}}
`;
const usual = '{config: [{subnet: 172.28.0.0/24}]}';

describe('fixed addresses', () => {
  it('are read with the subnet of their network', async () => {
    const ipam = '{config: [{subnet: 172.28.0.9/24, ip_range: 172.28.0.128/25, gateway: 172.28.0.254}]}';
    const project = await projectOf(file(ipam, 'ipv4_address: 172.28.0.5'));
    expect(project.networks[0]!.subnet).toEqual({
      subnet: '172.28.0.0/24',
      gateway: '172.28.0.254',
      range: '172.28.0.128/25',
      at: { file: 'compose.yaml', line: 5 },
    });
    expect(project.services.map(({ networks }) => networks[0]!.address)).toEqual(['172.28.0.5', '172.28.0.6']);
    expect(project.warnings).toEqual([]);
  });

  it('are ignored with a warning where no network of the file can give them', async () => {
    const none = file('{config: []}');
    expect((await projectOf(none)).services[1]!.networks).toEqual([{ name: 'n', aliases: [] }]);
    expect((await warningsOf(none))[0]).toContain(
      'services.b.networks.n.ipv4_address is ignored: the network n has no IPv4 subnet',
    );
    const external =
      'services: {a: {image: x, networks: {n: {ipv4_address: 10.0.0.9}}}}\nnetworks: {n: {external: true}}';
    expect((await warningsOf(external))[0]).toContain('n is an external network');
    expect((await warningsOf(file('{config: [{subnet: "fd00::/64"}]}')))[0]).toContain('only IPv4 addresses');
  });

  it.each([
    [usual, 'ipv4_address: 172.28.0.6', 'a already has 172.28.0.6'],
    [usual, 'ipv4_address: 172.29.0.6', '172.29.0.6 is not in 172.28.0.0/24'],
    [usual, 'ipv4_address: 172.28.0.1', '172.28.0.1 is the gateway of 172.28.0.0/24'],
    [usual, 'ipv4_address: 172.28.0.255', '172.28.0.255 is not for a host'],
    [usual, 'ipv4_address: "::1"', 'must be an IPv4 address, not ::1'],
    ['{config: [{subnet: 172.28.0.0}]}', '', 'must be a subnet like 172.28.0.0/24, not 172.28.0.0'],
    ['{config: [{subnet: 172.28.0.0/30}]}', '', '172.28.0.0/30 has too few addresses'],
    ['{config: [{subnet: 172.28.0.0/24, ip_range: 172.29.0.0/25}]}', '', 'ip_range: must be a part of 172.28.0.0/24'],
    ['{config: [{subnet: 172.28.0.0/24, gateway: 10.0.0.1}]}', '', 'gateway: must be an address of 172.28.0.0/24'],
    ['{config: [{subnet: 172.28.0.0/24}, {subnet: 172.29.0.0/24}]}', '', 'one IPv4 subnet, and it has several'],
    ['{config: {subnet: 172.28.0.0/24}}', '', 'must be a list'],
  ])('%s with %s: %s', async (ipam, a, sentence) => {
    expect((await mistakesOf(file(ipam, a))).join('\n')).toContain(sentence);
  });

  it('belong to one replica', async () => {
    expect(await mistakesOf(file(usual, 'ipv4_address: 172.28.0.5', ', scale: 2'))).toEqual([
      expect.stringContaining('2 replicas cannot have one address'),
    ]);
  });
});
