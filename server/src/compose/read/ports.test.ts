import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mistakesOf, serviceFile, serviceWith } from '../compose-rig.ts';
import { shortPorts } from './ports.ts';

describe('short port syntax', () => {
  // Rejected by Docker Compose 2.40.
  it.each([
    '8080-8081:80-82',
    '::1:80:80',
    '80:0',
    '70000',
    'a',
    '80/foo',
    '80:',
    '82-80',
    'localhost:80:80',
    '0x50',
    '8080:80:90',
    '',
    '1.2.3.4:80',
    ' 80',
    '1-65535',
    '-80',
    '80:80:80:80',
    '[::1:80:80',
  ])('rejects %j', (text) => expect(shortPorts(text)).toBeTypeOf('string'));

  const port = fc.integer({ min: 1, max: 65535 });
  const ip = fc.oneof(
    fc.constant(''),
    fc.ipV4(),
    fc.ipV6().map((address) => `[${address}]`),
  );
  const protocol = fc.constantFrom('tcp', 'udp', 'sctp');

  it('accepts any address, ports and protocol', () => {
    fc.assert(
      fc.property(ip, port, port, protocol, (address, published, target, kind) => {
        const text = `${address && `${address}:`}${published}:${target}/${kind}`;
        expect(shortPorts(text)).toEqual([
          {
            target,
            published: { from: published, to: published },
            hostIp: address ? address.replaceAll(/[[\]]/g, '') : null,
            protocol: kind,
          },
        ]);
      }),
    );
  });

  it('expands ranges in pairs', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60000 }),
        fc.integer({ min: 1, max: 60000 }),
        fc.nat({ max: 50 }),
        (host, target, more) => {
          const found = shortPorts(`${host}-${host + more}:${target}-${target + more}`);
          expect(found).toHaveLength(more + 1);
          for (const each of found as Exclude<typeof found, string>)
            expect(each.published!.from - host).toBe(more === 0 ? 0 : each.target - target);
        },
      ),
    );
  });

  it('returns valid ports or an error for any text', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('0', '1', '8', ':', '-', '/', '.', '[', ']', 'a') }),
    );
    fc.assert(
      fc.property(text, (given) => {
        const found = shortPorts(given);
        if (typeof found === 'string') return;
        for (const { target, published } of found) {
          expect(target).toBeGreaterThan(0);
          expect(Math.max(target, published?.to ?? 0)).toBeLessThanOrEqual(65535);
        }
      }),
    );
    expect(shortPorts(':'.repeat(100_000))).toBeTypeOf('string');
  });
});

describe('ports of a service', () => {
  it('are deduplicated', async () => {
    const { ports } = await serviceWith('ports: ["80:80", "80:80/tcp", {target: 80, published: "80"}, "80:80/udp"]');
    expect(ports.map(({ protocol }) => protocol)).toEqual(['tcp', 'udp']);
  });

  it.each([
    [
      'ports: ["80:80", "x:y"]',
      'compose.yaml:4: services.a.ports: x:y: the port of the container must be from 1 to 65535',
    ],
    ['ports: ["1-900", "1-900", "1-900"]', 'compose.yaml:4: services.a.ports: more than 2000 of them'],
    ['ports: 80', 'compose.yaml:4: services.a.ports: must be a list, not a number'],
    ['ports:\n  - target: 0', 'compose.yaml:5: services.a.ports.target: must be a port from 1 to 65535'],
    ['ports:\n  - {target: 80, host_ip: me}', 'compose.yaml:5: services.a.ports.host_ip: must be an IP address'],
    [
      'ports:\n  - {target: 80, protocol: http}',
      'compose.yaml:5: services.a.ports.protocol: must be one of tcp, udp, sctp',
    ],
    ['expose: ["http"]', 'compose.yaml:4: services.a.expose: http: must be a port, or a range of ports'],
  ])('reject %j', async (lines, message) => expect(await mistakesOf(serviceFile(lines))).toEqual([message]));
});
