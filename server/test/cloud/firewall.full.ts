import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nameServersOf } from '../../src/drivers/firewall/name-servers.ts';
import type { DeploymentJson } from '../rig/deploy.ts';
import { entering } from '../rig/docker-namespace.ts';
import { makeImage, nodeForBuilds } from '../rig/docker-images.ts';
import { answerInside, type Beyond, type Door, makeBeyond } from '../rig/namespace-doors.ts';
import { has } from '../rig/parts.ts';
import { failToStart } from '../rig/service.ts';
import { agent, knock, type SharedCloud, startSharedCloud, tell } from '../rig/shared-cloud.ts';
import { until } from '../rig/until.ts';
import { isReachable, openWayOut, type WayOut } from '../rig/way-out.ts';

const stack = {
  ...agent(),
  'compose.yaml': 'services:\n  web: { build: ., ports: ["8080:3000"] }\n  db: { build: . }\n',
};
/** A public address that no machine of the test has otherwise. */
const world = '198.51.100.77';
const hasRegistry = await isReachable('https://registry.npmjs.org/npm');

/** A cloud that manages its own firewall rules to isolate containers from its machine. */
describe.runIf(has('docker'))('a cloud with its own firewall rules', () => {
  let cloud: SharedCloud;
  let beyond: Beyond;
  let open: Door;
  let wayOut: WayOut;
  let [app, other, services]: DeploymentJson[] = [];
  let nameServer: string | undefined;
  beforeAll(async () => {
    cloud = await startSharedCloud(
      { MOORING_CLOUD_FIREWALL: 'apply', MOORING_EDGE_HOST: '0.0.0.0', MOORING_CLOUD_CPUS: '12' },
      [],
      async (docker) => {
        const { name } = docker.namespace;
        execFileSync('ip', ['addr', 'add', `${world}/32`, 'dev', name]);
        wayOut = await openWayOut(world);
        return { HTTPS_PROXY: wayOut.url };
      },
    );
    const { namespace, client } = cloud.docker;
    beyond = makeBeyond(namespace);
    await beyond.answer('169.254.169.254', 'credentials');
    await beyond.answer('10.11.12.13', 'a machine of the private network');
    [nameServer] = (await nameServersOf()).filter((each) => each.startsWith('10.'));
    if (nameServer) await beyond.name(nameServer, '192.0.2.2');
    open = await answerInside(namespace, '0.0.0.0', 5999, 'a service of the machine');
    if (hasRegistry) await makeImage(client, nodeForBuilds());
    const ready = (deployed: DeploymentJson) => {
      expect(deployed.error, JSON.stringify(deployed)).toBeNull();
      return deployed;
    };
    app = ready(await cloud.one.deploy('app', agent()));
    other = ready(await cloud.two.deploy('other', agent()));
    services = ready(await cloud.one.deploy('services', stack));
  }, 240_000);
  afterAll(async () => {
    await open?.close();
    await beyond?.close();
    wayOut?.close();
    await cloud?.close();
  }, 120_000);

  const inside = (...args: string[]): string => {
    const [file, ...rest] = [...entering(cloud.docker.namespace), ...args];
    return execFileSync(file!, rest, { encoding: 'utf8' });
  };
  const places = () => [
    'http://169.254.169.254/latest/',
    'http://10.11.12.13/',
    `http://${cloud.docker.namespace.address}:5999/`,
    `http://${cloud.docker.namespace.address}:${cloud.ports.control}/`,
    `http://${cloud.docker.namespace.gateway}:22/`,
  ];
  /** Asserts that internal addresses are unreachable and everything else is reachable. */
  const expectApart = async () => {
    for (const from of [app!, services!]) {
      const answers = Object.entries(await knock(from, places()));
      expect(answers.filter(([, answer]) => !answer.startsWith('nothing'))).toEqual([]);
    }
    expect(Object.values(await knock(services!, ['http://db:3000/']))).toEqual(['200 "here"']);
    expect(await callByName(app!, other!)).toBe('200 "here"');
  };
  /** Calls another app by its public name, which resolves to this machine. */
  const callByName = (from: DeploymentJson, to: DeploymentJson) =>
    tell<string>(
      from,
      `return await new Promise((resolve) => require('node:http').get({ host: ${JSON.stringify(cloud.docker.namespace.address)},
  port: ${cloud.ports.edge}, headers: { host: ${JSON.stringify(new URL(to.urls[0]!).host)} }, agent: false, timeout: 3000 }, (answer) => {
    let text = answer.statusCode + ' '; answer.on('data', (chunk) => (text += chunk)).on('end', () => resolve(text)); })
  .on('timeout', () => resolve('late')).on('error', (error) => resolve(error.code)));`,
    );

  it('isolates apps from the machine, and lets them call each other by their public names', async () => {
    expect(cloud.service.output()).toContain('are in place');
    await expectApart();
    expect(await tell(app!, 'return "here"'), 'the edge reaches them').toBe('here');
    expect(inside('iptables', '-S')).toContain('-A DOCKER-USER -j MOORING-FORWARD');
    // Upkeep may restore the rules in the meantime.
    await until('it is the rules', async () => {
      for (const [chain, to] of [
        ['DOCKER-USER', 'MOORING-FORWARD'],
        ['INPUT', 'MOORING-INPUT'],
      ] as const)
        if (inside('iptables', '-S', chain).includes(`-j ${to}`)) inside('iptables', '-D', chain, '-j', to);
      const reached = Object.values(await knock(app!, places().slice(0, 3)));
      expect(reached).toEqual([
        '200 credentials',
        '200 a machine of the private network',
        '200 a service of the machine',
      ]);
      return true;
    });
    const isApart = () => expectApart().then(() => true);
    await until('they are put back', isApart, 30_000);
    expect(cloud.service.output()).toContain('have been restored');
  }, 90_000);

  it('allows DNS lookups', async ({ skip }) => {
    if (!nameServer) skip('this machine has no name server of a private network');
    const found = await tell(app!, `return await require('node:dns').promises.resolve4('anything.example');`);
    expect(found).toEqual(['192.0.2.2']);
    expect(Object.values(await knock(app!, [`http://${nameServer}/`]))).toEqual([expect.stringContaining('nothing')]);
  });

  it('builds, and limits build downloads to public addresses', async ({ skip }) => {
    const tries = JSON.stringify(places()).replaceAll('"', "'");
    const look = `RUN node -e "Promise.all(${tries}.map((p) => fetch(p, { signal: AbortSignal.timeout(1500) }).then(() => process.exit(1), () => 0)))"`;
    expect((await cloud.one.deploy('looking', agent([look]))).error).toBeNull();
    if (!hasRegistry) skip('the registry of npm does not answer');
    const files = agent([
      'RUN npm install --prefix /x --no-audit --no-fund is-number@7.0.0 && cp -r /x/node_modules /',
    ]);
    const Dockerfile = files['Dockerfile']!.replace(/^FROM .*/, `FROM ${nodeForBuilds().name}`);
    const fetched = await cloud.one.deploy('fetching', { ...files, Dockerfile });
    expect(fetched.error, JSON.stringify(fetched.error)).toBeNull();
    expect(await tell(fetched, `return require('/node_modules/is-number')(7);`)).toBe(true);
  }, 120_000);

  it('restores its rules after the engine was killed, and after all rules were flushed', async () => {
    const { docker } = cloud;
    await docker.stop('SIGKILL');
    await docker.start();
    const isBack = async () => (await tell(app!, 'return "here"').catch(() => '')) === 'here';
    await until('the app is back', isBack, 60_000);
    await until('so are the others', async () => (await callByName(app!, other!)) === '200 "here"', 60_000);
    await until(
      'and the services',
      async () => (await knock(services!, ['http://db:3000/']).catch(() => undefined)) !== undefined,
      60_000,
    );
    await expectApart();
    await docker.stop();
    inside('iptables', '-F');
    inside('iptables', '-X');
    await docker.start();
    await until('the app is back', isBack, 60_000);
    await until('the rules are', () => inside('iptables', '-S').includes('-A DOCKER-USER -j MOORING-FORWARD'), 20_000);
    await until(
      'the services are',
      async () => (await knock(services!, ['http://db:3000/']).catch(() => undefined)) !== undefined,
      60_000,
    );
    await expectApart();
  }, 240_000);
});

describe('a cloud without permission to change firewall rules', () => {
  it('reports that and does not start', async () => {
    const env = { MOORING_MODE: 'cloud', MOORING_RUNTIME: 'docker', MOORING_CLOUD_FIREWALL: 'apply' };
    const elsewhere = await failToStart({ ...env, DOCKER_HOST: 'tcp://127.0.0.1:1' });
    expect(elsewhere).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^mooring: MOORING_CLOUD_FIREWALL: the container engine is on another machine/m),
    });
  });
});
