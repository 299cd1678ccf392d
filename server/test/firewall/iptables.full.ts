import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIptables } from '../../src/drivers/firewall/iptables/iptables.ts';
import { removeIptables } from '../../src/drivers/firewall/iptables/remove.ts';
import { runProgram } from '../../src/drivers/firewall/iptables/programs.ts';
import { FirewallUpkeep } from '../../src/drivers/firewall/firewall-upkeep.ts';
import type { Log } from '../../src/lib/log.ts';
import { has } from '../rig/parts.ts';
import { type Machine, startMachine } from '../rig/firewall-machine.ts';
import { until } from '../rig/until.ts';

/** The rules between real networks: a machine with two engine-like bridges, a container on each, and a network
 * beyond its uplink. */
describe.runIf(has('docker'))('firewall rules between containers and their machine', () => {
  let machine: Machine;
  beforeAll(async () => {
    machine = await startMachine();
  }, 60_000);
  afterAll(() => machine?.close());

  let nameServers: string[] = [];
  const inside = () => runProgram(machine.enter);
  const firewall = () => {
    const allowed = async () => ({ edgePorts: [machine.ports.edge], nameServers });
    return createIptables({ allowed, ports: [machine.ports.own], run: inside() });
  };
  const rules = (program = 'iptables') =>
    execFileSync(machine.enter[0]!, [...machine.enter.slice(1), program, '-S'], { encoding: 'utf8' });
  const change = (...args: string[]) => execFileSync(machine.enter[0]!, [...machine.enter.slice(1), ...args]);

  const reaches = async () => {
    const { far, far6, own, own6, ports } = machine;
    const tcp = {
      metadata: ['169.254.169.254', 80],
      private: [far.private, 80],
      public: [far.public, 80],
      own: [own, ports.own],
      edge: [own, ports.edge],
      neighbour: [machine.neighbour, 80],
      'private over IPv6': [far6.private, 80],
      'public over IPv6': [far6.public, 80],
      'own over IPv6': [own6, ports.own],
      names: [far.names, 53],
    } as const;
    const found = await Promise.all(['first', 'second'].map((which) => machine.knock(which as 'first', tcp)));
    expect(found[1], 'from either network').toEqual(found[0]);
    return Object.keys(found[0]!).filter((what) => found[0]![what]);
  };
  const all = Object.freeze([
    'metadata',
    'private',
    'public',
    'own',
    'edge',
    'neighbour',
    'private over IPv6',
    'public over IPv6',
    'own over IPv6',
    'names',
  ]);
  const few = ['public', 'edge', 'neighbour', 'public over IPv6'];

  it('are checked without changing anything', async () => {
    // Neighbour discovery has to complete first.
    await until('everything is reached without any', async () => (await reaches()).length === all.length);
    const before = rules();
    expect(await firewall().look()).toMatchObject({ state: 'open' });
    expect(rules()).toBe(before);
  }, 60_000);

  it('allow public addresses, and block internal ones', async () => {
    change('iptables', '-A', 'INPUT', '-p', 'tcp', '--dport', '7777', '-j', 'ACCEPT');
    // A machine with an engine always tracks connections.
    change('iptables', '-A', 'FORWARD', '-m', 'conntrack', '--ctstate', 'INVALID', '-j', 'DROP');
    const held = machine.hold('first', [machine.far.private, 80]);
    await held.isOpen;
    expect(await firewall().apply()).toBe(true);
    expect(await reaches()).toEqual(few);
    expect(await firewall().look()).toEqual({ state: 'holds' });
    expect(rules()).toContain('--dport 7777 -j ACCEPT');
    expect(await held.answer(), 'what was open before goes on').toBe(true);
    expect(await firewall().apply(), 'what is there is not touched').toBe(false);
  }, 60_000);

  it('allow DNS on a private server, and nothing else on it', async () => {
    nameServers = [machine.far.names];
    expect(await firewall().apply()).toBe(true);
    expect(await reaches()).toEqual([...few, 'names']);
    expect(await machine.askName('first', machine.far.names)).toBe(true);
    expect(await machine.knock('first', { other: [machine.far.names, 80] })).toEqual({ other: false });
    nameServers = [];
    expect(await firewall().apply()).toBe(true);
    expect(await machine.askName('first', machine.far.names)).toBe(false);
  }, 60_000);

  it('are restored and reported when they were removed', async () => {
    const said: string[] = [];
    const log = Object.fromEntries(
      ['info', 'warn', 'error'].map((level) => [level, (text: string) => said.push(text)]),
    ) as unknown as Log;
    const keeping = new FirewallUpkeep({ firewall: firewall(), isApplied: true, log, everyMs: 100 });
    await keeping.begin();
    expect(said).toEqual([]);
    for (const harm of [
      ['iptables', '-F', 'MOORING-OUT'],
      ['iptables', '-D', 'MOORING-IN', '-j', 'REJECT'],
      ['iptables', '-D', 'INPUT', '-j', 'MOORING-INPUT'],
      ['iptables', '-F', 'DOCKER-USER'],
      ['iptables', '-I', 'INPUT', '-i', 'br-+', '-j', 'ACCEPT'],
      ['ip6tables', '-F'],
      ['iptables', '-F'],
    ]) {
      said.length = 0;
      change(...harm);
      await until(`${harm.join(' ')} is mended`, () => said.some((line) => line.includes('have been restored')));
      expect(await firewall().look()).toEqual({ state: 'holds' });
      expect(await firewall().apply(), harm.join(' ')).toBe(false);
    }
    await keeping.stop();
    expect(await reaches()).toEqual(few);
  }, 60_000);

  it('are only reported if changes are disabled', async () => {
    change('iptables', '-F', 'MOORING-OUT');
    const before = rules();
    const said: string[] = [];
    const log = Object.fromEntries(
      ['info', 'warn', 'error'].map((level) => [level, (text: string) => said.push(text)]),
    ) as unknown as Log;
    const keeping = new FirewallUpkeep({ firewall: firewall(), isApplied: false, log, everyMs: 100 });
    await keeping.begin();
    await new Promise((resolve) => setTimeout(resolve, 350));
    expect(said).toEqual([expect.stringContaining('metadata service (169.254.169.254), private addresses')]);
    expect(said[0]).toContain('MOORING_CLOUD_FIREWALL=apply');
    expect(rules()).toBe(before);
    await firewall().apply();
    await until('that it holds again is said', () => said.length > 1);
    await keeping.stop();
    const unable = createIptables({
      allowed: async () => ({ edgePorts: [], nameServers: [] }),
      ports: [22],
      // The program exists but has no permission.
      run: runProgram([...machine.enter, 'setpriv', '--reuid=65534', '--clear-groups', '--']),
    });
    expect(await unable.look()).toMatchObject({ state: 'unknown', why: expect.stringMatching(/permission|root/i) });
    await expect(unable.apply()).rejects.toThrow(/permission|root/i);
    const missing = createIptables({
      allowed: async () => ({ edgePorts: [], nameServers: [] }),
      ports: [22],
      run: (file, args, input) => runProgram()(`/no/such/${file}`, args, input),
    });
    expect(await missing.look()).toEqual({ state: 'unknown', why: '/no/such/iptables is not installed' });
    await expect(missing.apply()).rejects.toThrow('/no/such/iptables is not installed');
    const half = createIptables({
      allowed: async () => ({ edgePorts: [machine.ports.edge], nameServers: [] }),
      ports: [machine.ports.own],
      run: (file, args, input) =>
        file.startsWith('ip6') ? runProgram()(`/no/such/${file}`, args, input) : inside()(file, args, input),
    });
    change('iptables', '-F', 'MOORING-OUT');
    expect(await half.apply(), 'what there is a program for').toBe(true);
    expect(await half.look()).toEqual({ state: 'unknown', why: '/no/such/ip6tables is not installed' });
  }, 60_000);

  it('are removed without a trace, and rules of others stay', async () => {
    const clear = () =>
      ['iptables', 'ip6tables'].forEach((program) => ['-F', '-X'].forEach((all) => change(program, all)));
    clear();
    const before = [rules(), rules('ip6tables')];
    expect(await firewall().apply()).toBe(true);
    expect(await removeIptables(inside())).toBe(true);
    expect([rules(), rules('ip6tables')]).toEqual(before);
    expect(await removeIptables(inside())).toBe(false);
    change('iptables', '-N', 'DOCKER-USER');
    change('iptables', '-A', 'FORWARD', '-j', 'DOCKER-USER');
    change('iptables', '-A', 'INPUT', '-p', 'tcp', '--dport', '22', '-j', 'ACCEPT');
    const others = rules();
    await firewall().apply();
    await removeIptables(inside());
    expect(rules()).toBe(others);
    clear();
  }, 60_000);
});
