import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registryAuthHeader } from '../../src/drivers/images/references.ts';
import type { DeploymentJson } from '../rig/deploy.ts';
import { makeImage, node } from '../rig/docker-images.ts';
import { containersOf, networksOf, volumesOf } from '../rig/engine-things.ts';
import { answerInside, startMetadata } from '../rig/namespace-doors.ts';
import { has } from '../rig/parts.ts';
import { registryUser, startRegistry } from '../rig/registry.ts';
import { agent, knock, type SharedCloud, startSharedCloud, tell } from '../rig/shared-cloud.ts';
import { until } from '../rig/until.ts';

type Deployed = DeploymentJson & { projectId: string };
type Inspected = {
  Name: string;
  Image: string;
  Config: { Labels: Record<string, string>; Env: string[] };
  HostConfig: {
    NetworkMode: string;
    SecurityOpt: string[];
    CapDrop: string[];
    CapAdd: string[] | null;
    PidsLimit: number;
    Memory: number;
    MemorySwap: number;
    NanoCpus: number;
    ReadonlyRootfs: boolean;
    Privileged: boolean;
    PidMode: string;
    IpcMode: string;
    UTSMode: string;
    UsernsMode: string;
    Devices: unknown[] | null;
    PortBindings: Record<string, { HostIp: string }[]>;
  };
  Mounts: { Type: string; Source: string; Name?: string; Destination: string }[];
  NetworkSettings: { Networks: Record<string, { IPAddress: string; Gateway: string }>; Ports: Ports };
};
type Ports = Record<string, { HostIp: string; HostPort: string }[] | null>;

const megabyte = 1_048_576;
/** A private address that this cloud may connect to, besides its repositories. */
const allowed = '127.0.0.3';
const stack = (more = '') => ({
  ...agent(),
  'compose.yaml': `services:
  web:
    build: .
    ports: ["8080:3000"]
    volumes: ["data:/data", "./agent.js:/given.js:ro"]
    pids_limit: -1
    deploy: { resources: { limits: { pids: -1 } } }
    memswap_limit: -1
    cap_add: [NET_RAW, CHOWN]
  db:
    build: .
    volumes: ["data:/data"]
    cpus: 0.0000000001
    mem_limit: 64g
volumes: { data: {} }
${more}`,
});

/** Two organizations of one cloud, each in its own containers with a program that executes anything. */
describe.runIf(has('docker'))('two organizations of a cloud', () => {
  let cloud: SharedCloud;
  let [mine, theirs]: Deployed[] = [];
  let [mineOfServices, theirsOfServices]: Deployed[] = [];
  beforeAll(async () => {
    cloud = await startSharedCloud({ MOORING_CLOUD_CPUS: '12' }, [`${allowed}/32`]);
    const ready = (deployed: Deployed) => {
      expect(deployed.error, JSON.stringify(deployed)).toBeNull();
      return deployed;
    };
    mine = ready(await cloud.one.deploy('agent', agent()));
    theirs = ready(await cloud.two.deploy('agent', agent()));
    mineOfServices = ready(await cloud.one.deploy('services', stack()));
    theirsOfServices = ready(await cloud.two.deploy('services', stack()));
  }, 240_000);
  afterAll(() => cloud?.close(), 120_000);

  const inspect = (id: string) =>
    cloud.docker.client.json<Inspected>({ method: 'GET', path: `/containers/${id}/json` });
  const containersIn = async (...projects: string[]): Promise<Inspected[]> => {
    const all = await Promise.all((await containersOf(cloud.docker)).map(({ Id }) => inspect(Id)));
    return all.filter(({ Config }) => projects.includes(Config.Labels['mooring.project']!));
  };
  const theirContainers = () => containersIn(theirs!.projectId, theirsOfServices!.projectId);

  it('run containers with limits and without privileges, whatever their files say', async () => {
    const all = await containersIn(...[mine, theirs, mineOfServices, theirsOfServices].map((each) => each!.projectId));
    expect(all).toHaveLength(6);
    for (const { Name, HostConfig: host, Mounts } of all) {
      expect(host.SecurityOpt, Name).toContain('no-new-privileges');
      expect(host.CapDrop, Name).toEqual(['ALL']);
      for (const name of host.CapAdd ?? [])
        expect('CHOWN DAC_OVERRIDE FOWNER FSETID KILL NET_BIND_SERVICE SETGID SETUID'.split(' '), Name).toContain(name);
      expect([host.PidsLimit > 0, host.PidsLimit <= 2048], Name).toEqual([true, true]);
      expect([host.Memory >= 64 * megabyte, host.Memory <= 4096 * megabyte], Name).toEqual([true, true]);
      expect(host.MemorySwap, `${Name} has no swap`).toBe(host.Memory);
      expect([host.NanoCpus >= 1e7, host.NanoCpus <= 2e9], Name).toEqual([true, true]);
      expect([host.Privileged, host.PidMode, host.UTSMode, host.UsernsMode], Name).toEqual([false, '', '', '']);
      expect(['private', 'none'], Name).toContain(host.IpcMode);
      expect(host.Devices ?? [], Name).toEqual([]);
      expect(['host', 'bridge', 'default', 'none', ''], Name).not.toContain(host.NetworkMode);
      for (const { HostIp } of Object.values(host.PortBindings).flat()) expect(HostIp, Name).toBe('127.0.0.1');
      // The only host mounts are read-only files of their own source.
      const binds = Mounts.filter(({ Type }) => Type === 'bind').map(({ Source }) => Source);
      for (const path of binds) expect(path, Name).toContain(`${cloud.service.dataDir}/`);
    }
    const limits = all.map(({ HostConfig }) => HostConfig.Memory / megabyte).toSorted((a, b) => a - b);
    expect(limits).toEqual([512, 512, 512, 512, 4096, 4096]);
    const shown = await cloud.one.call('GET', '/api/organizations/current/limits');
    expect(shown.body).toMatchObject({ data: { memoryMb: { used: 512 + 512 + 4096 }, cpus: { used: 2.01 } } });
  });

  it('see no engine socket and nothing of the service, and cannot escalate privileges', async () => {
    const found = await tell<{ mounts: string; sockets: boolean[]; status: string; uid: number }>(
      mineOfServices!,
      `const fs = require('node:fs');
return { mounts: fs.readFileSync('/proc/self/mounts', 'utf8'), status: fs.readFileSync('/proc/self/status', 'utf8'), uid: process.getuid(),
  sockets: ['/var/run/docker.sock', '/run/docker.sock', ${JSON.stringify(cloud.docker.address.slice(7))}, ${JSON.stringify(cloud.service.dataDir)}].map((path) => fs.existsSync(path)) };`,
    );
    expect(found.sockets).toEqual([false, false, false, false]);
    expect(found.mounts).not.toMatch(/docker\.sock|edge/);
    expect(found.status).toMatch(/^NoNewPrivs:\s*1$/m);
    const write = await tell<string>(
      mineOfServices!,
      `require('node:fs').writeFileSync('/given.js', 'mine'); return 'written';`,
    );
    expect(write).toBe('failed: EROFS');
  });

  it("cannot reach each other's containers by name, address or host port", async () => {
    const others = await theirContainers();
    const addresses = others.flatMap(({ NetworkSettings }) =>
      Object.values(NetworkSettings.Networks).flatMap(({ IPAddress }) => [IPAddress]),
    );
    const published = others.flatMap(({ NetworkSettings }) =>
      Object.values(NetworkSettings.Ports).flatMap((each) => (each ?? []).map(({ HostPort }) => HostPort)),
    );
    expect([addresses.length > 3, published.length]).toEqual([true, 2]);
    type Listed = { IPAM: { Config: { Gateway?: string; Subnet: string }[] | null } };
    const gateways = (await cloud.docker.client.json<Listed[]>({ method: 'GET', path: '/networks' })).flatMap(
      ({ IPAM }) => (IPAM.Config ?? []).flatMap(({ Gateway }) => (Gateway ? [Gateway] : [])),
    );
    const machines = [...gateways, cloud.docker.namespace.address, '127.0.0.1', 'host.docker.internal'];
    const doors = [...published, cloud.ports.control, cloud.ports.edge, 2375, 5432];
    const names = [
      ...others.map(({ Name }) => Name.slice(1)),
      ...others.map(({ Config }) => Config.Labels['mooring.service']!),
    ];
    const places = [
      ...addresses.filter(Boolean).flatMap((address) => [3000, 8080, 80].map((port) => `http://${address}:${port}/`)),
      ...machines.flatMap((machine) => doors.map((port) => `http://${machine}:${port}/`)),
      ...names.filter((name) => name !== 'app').map((name) => `http://${name}:3000/`),
    ];
    const reached = Object.entries(await knock(mine!, places)).filter(([, answer]) => !answer.startsWith('nothing'));
    expect(reached).toEqual([]);
    // Services of one stack find only each other.
    const own = await knock(mineOfServices!, ['http://db:3000/', 'http://web:3000/']);
    expect(Object.values(own)).toEqual(['200 "here"', '200 "here"']);
    await tell(theirsOfServices!, `globalThis.mark = 'theirs';`);
    expect(await tell(mineOfServices!, `return globalThis.mark ?? 'none';`)).toBe('none');
  }, 60_000);

  it('have separate networks, which no other compose file can name', async () => {
    const networksBy = async (project: string) =>
      new Set((await containersIn(project)).flatMap(({ NetworkSettings }) => Object.keys(NetworkSettings.Networks)));
    const all = await Promise.all(
      [mine, theirs, mineOfServices, theirsOfServices].map((each) => networksBy(each!.projectId)),
    );
    const flat = all.flatMap((each) => [...each]);
    expect(new Set(flat).size, 'no network has two projects').toBe(flat.length);
    expect(flat).not.toContain('bridge');
    const ids = (await networksOf(cloud.docker))
      .filter(({ Name }) => all[3]!.has(Name))
      .flatMap(({ Id, Name }) => [Id, Name]);
    for (const name of [...ids, 'bridge', 'host']) {
      const files = {
        ...agent(),
        'compose.yaml': `services:\n  a: { build: ., networks: [x] }\nnetworks:\n  x: { external: true, name: "${name}" }\n`,
      };
      expect((await cloud.one.deploy('evil', files)).error, name).toMatchObject({ code: 'not_trusted' });
    }
    const [victim] = await theirContainers();
    for (const mode of ['host', `container:${victim!.Name.slice(1)}`]) {
      const files = { ...agent(), 'compose.yaml': `services:\n  a: { build: ., network_mode: "${mode}" }\n` };
      expect(['not_trusted', 'compose_invalid'], mode).toContain((await cloud.one.deploy('evil', files)).error?.code);
    }
  }, 120_000);

  it('cannot crash the shared engine by a health check, nor keep it busy', async () => {
    const checked = (check: string) => ({
      ...agent(),
      'compose.yaml': `services:\n  web: { build: ., ports: ["3000"], healthcheck: ${check} }\n`,
    });
    const over = await cloud.one.deploy('checked', checked('{ interval: 100ms }'));
    expect(over.error, JSON.stringify(over.error)).toBeNull();
    const often = await cloud.one.deploy('checked', checked('{ test: "true", interval: 1ms }'));
    expect(often.error, JSON.stringify(often.error)).toBeNull();
    type Checked = { Config: { Healthcheck?: { Interval: number } } };
    const [found] = (await containersIn(often.projectId)) as unknown as Checked[];
    expect(found!.Config.Healthcheck!.Interval).toBe(1e9);
    expect(await tell(theirs!, 'return "here"')).toBe('here');
    await cloud.one.call('DELETE', `/api/projects/${often.projectId}`);
  }, 120_000);

  it('have separate volumes under the same names, which no other compose file can name', async () => {
    await tell(theirsOfServices!, `require('node:fs').writeFileSync('/data/secret', 'theirs'); return 'written';`);
    expect(await tell(mineOfServices!, `return require('node:fs').readdirSync('/data');`)).toEqual([]);
    const names = (await volumesOf(cloud.docker)).map(({ Name }) => Name);
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) {
      const files = {
        ...agent(),
        'compose.yaml': `services:\n  a: { build: ., volumes: ["x:/x"] }\nvolumes:\n  x: { external: true, name: "${name}" }\n`,
      };
      expect((await cloud.one.deploy('evil', files)).error, name).toMatchObject({ code: 'not_trusted' });
      const plain = {
        ...agent(),
        'compose.yaml': `services:\n  a: { build: ., volumes: ["x:/x"] }\nvolumes:\n  x: { name: "${name}" }\n`,
      };
      const deployed = await cloud.one.deploy('named', plain);
      if (deployed.error) continue;
      const sources = (await containersIn(deployed.projectId)).flatMap(({ Mounts }) =>
        Mounts.map((mount) => mount.Name),
      );
      expect(sources, 'its own, whatever it is called').not.toContain(name);
    }
  }, 180_000);

  it("cannot use each other's images", async () => {
    const [{ Image: id }] = (await containersIn(theirs!.projectId)) as [Inspected];
    const name = `mooring/${theirs!.projectId.toLowerCase()}:${theirs!.id.toLowerCase()}`;
    const known = await cloud.docker.client.json<{ RepoTags: string[] }>({ method: 'GET', path: `/images/${id}/json` });
    expect(known.RepoTags.map((tag) => tag.toLowerCase())).toContain(name);
    for (const image of [known.RepoTags[0]!, id, `docker.io/${known.RepoTags[0]}`]) {
      const services = [{ name: 'a', image }];
      const { body } = await cloud.one.call('POST', '/api/projects/ensure', { name: 'images' });
      const { project_id: projectId } = body as { project_id: string };
      const asked = await cloud.one.call('POST', '/api/deployments/build/access', { projectId, services });
      if (asked.status === 200) {
        const over = await ofId((asked.body as { deployment_id: string }).deployment_id);
        expect([over.status, over.error?.code], image).toEqual([
          'failed',
          expect.stringMatching(/refused|pull_failed/),
        ]);
      } else expect(asked.status, image).toBe(400);
      for (const lines of [
        [`FROM ${image}`],
        [`FROM ${node.name}`, `COPY --from=${image} /agent.js /x`],
        [`FROM ${node.name}`, `RUN --mount=type=bind,from=${image},target=/x cat /x/agent.js`],
        [`ARG WHAT=${image}`, 'FROM ${WHAT}'],
      ]) {
        const over = await cloud.one.deploy('evil', { ...agent(), Dockerfile: `${lines.join('\n')}\nCMD ["node"]\n` });
        expect([lines.join(), over.status], JSON.stringify(over.error)).toEqual([lines.join(), 'failed']);
        expect(['build_refused', 'build_failed', 'pull_failed'], JSON.stringify(over.error)).toContain(
          over.error!.code,
        );
      }
    }
  }, 240_000);

  const ofId = async (id: string, tenant = cloud.one): Promise<DeploymentJson> => {
    for (;;) {
      const { body } = await tenant.call('GET', `/api/deployments/${id}`);
      const { data } = body as { data: DeploymentJson };
      if (['ready', 'failed', 'cancelled', 'partial_failure'].includes(data.status)) return data;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };

  it('have separate build caches, and builds that reach neither the machine nor internal addresses', async () => {
    const cached = (line: string) => agent([`RUN --mount=type=cache,id=shared,target=/c ${line}`]);
    expect((await cloud.two.deploy('cache', cached('echo theirs > /c/secret'))).error).toBeNull();
    const own = await cloud.two.deploy('cache', cached('cat /c/secret && cp /c/secret /found'));
    expect(own.error, 'a cache is there for its own project').toBeNull();
    const other = await cloud.one.deploy('cache', cached('ls -A /c > /found'));
    expect(other.error).toBeNull();
    expect(await tell(other, `return require('node:fs').readFileSync('/found', 'utf8');`)).toBe('');
    for (const [line, code] of [
      [`ADD http://127.0.0.1:${cloud.ports.control}/api/health /x`, 'build_refused'],
      ['ADD http://169.254.169.254/latest/meta-data /x', 'build_refused'],
      ['ARG URL=http://127.0.0.1/\nADD $URL /x', 'build_refused'],
      [String.raw`ADD ["http\u003a//127.0.0.1:${cloud.ports.control}/api/health", "/x"]`, 'build_refused'],
      [`ADD [a]gent.js http://127.0.0.1:${cloud.ports.control}/api/health /x/`, 'build_refused'],
      [`RUN echo " <<CMD"\nADD http://127.0.0.1:${cloud.ports.control}/api/health /x\nCMD`, 'build_refused'],
      ['RUN --network=host true', 'build_failed'],
      ['RUN --security=insecure true', 'build_failed'],
      ['RUN --mount=type=ssh test -S "$SSH_AUTH_SOCK"', 'build_failed'],
    ] as const) {
      const over = await cloud.one.deploy('evil', agent([line]));
      expect([line, over.error?.code], JSON.stringify(over.error)).toEqual([line, code]);
    }
    const places = [cloud.ports.control, cloud.ports.edge].map(
      (port) => `http://${cloud.docker.namespace.address}:${port}/`,
    );
    const look = `RUN node -e "Promise.all(${JSON.stringify(places).replaceAll('"', "'")}.map((p) => fetch(p, { signal: AbortSignal.timeout(1500) }).then(() => process.exit(1), () => 0)))"`;
    expect((await cloud.one.deploy('looking', agent([look]))).error).toBeNull();
  }, 240_000);

  it("cannot access each other's resources by any route", async () => {
    for (const { id, projectId } of [theirs!, theirsOfServices!]) {
      for (const [method, path, body] of routesOf(id, projectId)) {
        const answer = await cloud.one.call(method, path, body);
        const unknown = await cloud.one.call(method, path.replaceAll(id, 'dep_x').replaceAll(projectId, 'prj_x'), body);
        expect([method, path, answer.status, answer.text]).toEqual([method, path, 404, unknown.text]);
      }
    }
    type Listed = { data: { id: string; organizationId: string }[] };
    const ids = new Set<string>();
    for (const path of ['/api/deployments?limit=100', '/api/projects'])
      for (const { id, organizationId } of ((await cloud.one.call('GET', path)).body as Listed).data)
        ids.add(id).add(organizationId);
    for (const { id, projectId } of [theirs!, theirsOfServices!])
      expect([ids.has(id), ids.has(projectId)]).toEqual([false, false]);
    expect([...ids].filter((id) => id?.startsWith('org_'))).toHaveLength(1);
    const filtered = await cloud.one.call('GET', `/api/deployments?projectId=${theirs!.projectId}`);
    expect(filtered.body).toMatchObject({ data: [] });
  });

  it("cannot import each other's project by its id", async () => {
    const before = await cloud.two.call('GET', `/api/projects/${theirs!.projectId}`);
    const hosted = {
      key: `prm_${'a'.repeat(26)}`,
      project: { name: 'stolen', source: { type: 'git', url: 'https://git.example.com/a/b.git' } },
      variables: {},
      deployKey: null,
      deployment: { autoStart: false },
    };
    const answer = await cloud.one.call('PUT', `/api/cloud/projects/${theirs!.projectId}`, hosted);
    expect([answer.status, answer.body]).toMatchObject([409, { error: 'a project with this id already exists here' }]);
    expect(answer.text).not.toContain('agent');
    const after = await cloud.two.call('GET', `/api/projects/${theirs!.projectId}`);
    expect(after.text).toBe(before.text);
  });

  it('cannot reach internal addresses through the service', async () => {
    const { control } = cloud.ports;
    for (const url of [
      `http://127.0.0.1:${control}/a.git`,
      'http://169.254.169.254/a.git',
      'ssh://10.0.0.1:5432/a',
      'git@localhost:a',
    ]) {
      const prepared = await cloud.one.call('POST', '/api/deployments/prepare', { source: 'githost', url });
      expect([url, prepared.status], prepared.text).toEqual([url, 400]);
      expect(prepared.text).toContain('is refused: ');
      const { body } = await cloud.one.call('POST', '/api/projects/ensure', {
        name: 'inside',
        source: { type: 'git', url },
      });
      const { project_id: projectId } = body as { project_id: string };
      const begun = await cloud.one.call('POST', '/api/deployments', { projectId });
      const over = await ofId((begun.body as { data: { id: string } }).data.id);
      expect(over.error, url).toMatchObject({
        code: 'source_failed',
        message: expect.stringContaining('is refused: '),
      });
    }
    for (const image of [`127.0.0.1:${control}/x`, 'localhost:5432/x:1', '169.254.169.254/x', '10.0.0.1:80/x']) {
      const { body } = await cloud.one.call('POST', '/api/projects/ensure', { name: 'pulls' });
      const { project_id: projectId } = body as { project_id: string };
      const services = [{ name: 'a', image }];
      const begun = await cloud.one.call('POST', '/api/deployments/build/access', { projectId, services });
      const over = await ofId((begun.body as { deployment_id: string }).deployment_id);
      expect(over.error, image).toMatchObject({ message: expect.stringContaining('is refused: ') });
      const from = await cloud.one.deploy('evil', { ...agent(), Dockerfile: `FROM ${image}\n` });
      expect(from.error, image).toMatchObject({ message: expect.stringContaining('is refused: ') });
    }
    for (const domain of ['localhost', '127.0.0.1', '169.254.169.254']) {
      const { status, text } = await cloud.one.call('POST', '/api/deployments/ssl/status', { domain });
      expect([200, 400], text).toContain(status);
      if (status === 200) expect(JSON.parse(text), text).toMatchObject({ data: { served: { reachable: false } } });
    }
    const s3 = { name: 's3', kind: 's3_compatible', bucket: 'b', accessKeyId: 'a', secretAccessKey: 'b' };
    const made = await cloud.one.call('POST', '/api/backup-destinations', {
      ...s3,
      endpoint: `http://127.0.0.1:${control}`,
    });
    if (made.status < 300) {
      const { id } = (made.body as { data: { id: string } }).data;
      const tried = await cloud.one.call('POST', `/api/backup-destinations/${id}/preflight`);
      expect(tried.body).toMatchObject({ ok: false });
    }
  }, 180_000);

  it.runIf(has('registry'))(
    'cannot use an image that another organization has pulled with a password',
    async () => {
      const registry = await startRegistry(cloud.docker.namespace, 'basic');
      try {
        // Another loopback address: the one that is allowed.
        const address = registry.address.replace('127.0.0.1', allowed);
        const image = await pushPrivate(address);
        const deployOf = async (tenant: SharedCloud['one']) => {
          const { body } = await tenant.call('POST', '/api/projects/ensure', { name: 'private' });
          const { project_id: projectId } = body as { project_id: string };
          const services = [{ name: 'a', image }];
          const begun = await tenant.call('POST', '/api/deployments/build/access', { projectId, services });
          return ofId((begun.body as { deployment_id: string }).deployment_id, tenant);
        };
        const login = await cloud.two.call('POST', '/api/registries', { address, ...registryUser });
        expect(login.status, login.text).toBe(201);
        expect((await deployOf(cloud.two)).error).toBeNull();
        const from = { ...agent(), Dockerfile: agent()['Dockerfile']!.replace(node.name, image) };
        expect((await cloud.two.deploy('from', from)).error, 'who has the password builds from it').toBeNull();
        expect((await deployOf(cloud.one)).error).toMatchObject({ code: 'pull_failed' });
        for (const lines of [`FROM ${image}`, `FROM ${node.name}\nCOPY --from=${image} / /x`]) {
          const over = await cloud.one.deploy('evil', { ...agent(), Dockerfile: `${lines}\nCMD ["node"]\n` });
          expect(over.error, lines).toMatchObject({ code: 'pull_failed' });
        }
      } finally {
        await registry.stop();
      }
    },
    120_000,
  );

  async function pushPrivate(address: string): Promise<string> {
    const { client } = cloud.docker;
    const repo = `${address}/team/app`;
    const changes = ['CMD ["node", "-e", "setInterval(() => {}, 1000)"]'];
    await makeImage(client, { ...node, name: 'private:1', files: { '/secret': 'theirs' }, changes });
    await client.json({ method: 'POST', path: '/images/private:1/tag', query: { repo, tag: '1' } });
    const headers = registryAuthHeader({ registry: address, ...registryUser });
    const said = await client.open({ method: 'POST', path: `/images/${repo}/push`, query: { tag: '1' }, headers });
    expect(Buffer.concat(await said.toArray()).toString()).not.toContain('"error"');
    for (const name of [`${repo}:1`, 'private:1']) await client.json({ method: 'DELETE', path: `/images/${name}` });
    return `${repo}:1`;
  }

  it('share a resource limit: a deployment beyond it fails, and the active release keeps serving', async () => {
    const over = await cloud.one.deploy('agent', agent(), { resources: { memoryMb: 4096 } });
    expect([over.status, over.error]).toMatchObject(['failed', { code: 'limit_reached', hint: expect.any(String) }]);
    expect(over.error!.message).toMatch(
      /^this needs 4096 MB of memory, and of the 8192 MB of memory of your organization /,
    );
    expect(await tell(mine!, 'return "on"')).toBe('on');
    expect(await containersIn(mine!.projectId)).toHaveLength(1);
    const back = await cloud.one.deploy('agent', agent(), { resources: { memoryMb: 512 } });
    expect(back.error, 'as much as before fits').toBeNull();
    const [container] = await containersIn(mine!.projectId);
    expect(container!.HostConfig.Memory).toBe(512 * megabyte);
  }, 60_000);

  it('cannot keep a partial release beyond the limit, and get the previous release back on reject', async () => {
    const service = (name: string, memory: number, command = '') =>
      `  ${name}: { build: ., mem_limit: ${memory}m, cpus: 0.1${command} }\n`;
    const files = (services: string[]) => ({ ...agent(), 'compose.yaml': `services:\n${services.join('')}` });
    const limits = async () =>
      ((await cloud.one.call('GET', '/api/organizations/current/limits')).body as Limits).data.memoryMb.used;
    const others = await limits();
    // One of this size fits in addition, two do not.
    const large = Math.floor((8192 - others) * 0.7);
    const first = await cloud.one.deploy('halves', files([service('a', large), service('b', 64)]));
    expect(first.error, JSON.stringify(first.error)).toBeNull();
    const broken = ', command: ["node", "-e", "process.exit(3)"]';
    const half = await cloud.one.deploy('halves', files([service('a', 64, broken), service('b', large)]));
    expect(await ofStatus(half.id), JSON.stringify(half.error)).toEqual(['partial_failure', 'pending']);
    expect(await limits(), 'what really runs').toBe(others + large + large);
    const kept = await cloud.one.call('POST', `/api/deployments/${half.id}/keep`, {});
    expect([kept.status, kept.body]).toMatchObject([
      403,
      { code: 'limit_reached', error: expect.stringContaining('reject') },
    ]);
    expect(await ofStatus(half.id), 'it waits on').toEqual(['partial_failure', 'pending']);
    expect((await cloud.one.call('POST', `/api/deployments/${half.id}/reject`, {})).status).toBe(200);
    await until('it is rejected', async () => (await ofStatus(half.id))[0] === 'rejected', 60_000);
    expect(await limits()).toBe(others + large + 64);
    expect((await cloud.one.call('DELETE', `/api/deployments/${first.id}`)).status).toBe(200);
    expect(await limits(), 'nothing is left of it').toBe(others);
  }, 120_000);

  type Limits = { data: { memoryMb: { used: number } } };
  const ofStatus = async (id: string) => {
    type Found = { data: { status: string; decision: string | null } };
    const { data } = (await cloud.one.call('GET', `/api/deployments/${id}`)).body as Found;
    return [data.status, data.decision];
  };

  it('get nothing from the edge except under a known host name', async () => {
    const others = await theirContainers();
    const names = others.flatMap(({ Name, NetworkSettings }) => [
      Name.slice(1),
      ...Object.values(NetworkSettings.Networks).map(({ IPAddress }) => IPAddress),
    ]);
    for (const host of [...names, 'localhost', '127.0.0.1', 'web', 'db', 'mooring', '', `app.${theirs!.id}`].filter(
      Boolean,
    )) {
      const forged = { ...theirs!, urls: [`http://${host}:${cloud.ports.edge}`] };
      await expect(tell(forged, 'return 1'), host).rejects.toThrow(/^(404|421|400) /);
    }
  });

  it('reach neither the machine nor its network behind the documented firewall', async () => {
    const { namespace } = cloud.docker;
    const metadata = await startMetadata(namespace);
    const open = await answerInside(namespace, '0.0.0.0', 5999, 'a service of the machine');
    try {
      const places = ['http://169.254.169.254/latest/', `http://${namespace.address}:5999/`];
      const before = await knock(mineOfServices!, places);
      expect(cloud.service.output(), 'which it says').toMatch(
        /containers can reach the cloud's metadata service .*: set MOORING_CLOUD_FIREWALL=apply/,
      );
      expect(Object.values(before), 'without it they do').toEqual(['200 credentials', '200 a service of the machine']);
      for (const rule of firewallOf(readFileSync(documentation, 'utf8')))
        execFileSync('nsenter', [`--net=/run/netns/${namespace.name}`, '--', ...rule]);
      const after = Object.values(await knock(mineOfServices!, places));
      expect(
        after.every((each) => each.startsWith('nothing')),
        after.join(),
      ).toBe(true);
      expect(Object.values(await knock(mineOfServices!, ['http://db:3000/']))).toEqual(['200 "here"']);
      const look = `RUN node -e "fetch('http://169.254.169.254/', { signal: AbortSignal.timeout(2000) }).then(() => process.exit(1), () => 0)"`;
      expect((await cloud.one.deploy('metadata', agent([look]))).error).toBeNull();
    } finally {
      await open.close();
      await metadata.close();
    }
  }, 60_000);
});

const documentation = join(import.meta.dirname, '../../../docs/operations/run-a-cloud.md');

/** The commands of the documentation page. */
function firewallOf(page: string): string[][] {
  const rules = page.split('\n').map((line) => line.trim().split(/\s+/));
  const found = rules.filter(([program]) => program === 'iptables');
  expect(found.length).toBeGreaterThan(3);
  return found;
}

/** Every route with the id of a deployment or project in its path. */
const routesOf = (id: string, project: string): [method: string, path: string, body?: unknown][] => [
  ...['', '/logs', '/logs?kind=runtime', '/stream', '/build', '/info', '/usage'].map((path): [string, string] => [
    'GET',
    `/api/deployments/${id}${path}`,
  ]),
  ...['build', 'redeploy', 'rollback', 'pin', 'cancel', 'keep', 'reject', 'restart'].map(
    (action): [string, string, unknown] => ['POST', `/api/deployments/${id}/${action}`, {}],
  ),
  ['POST', `/api/deployments/${id}/build/respond`, { response: 'approve' }],
  ['DELETE', `/api/deployments/${id}`],
  ['GET', `/api/projects/${project}`],
  ['GET', `/api/projects/${project}/variables`],
  ['GET', `/api/projects/${project}/volumes`],
  ['GET', `/api/projects/${project}/domains`],
  ['GET', `/api/projects/${project}/traffic`],
  ['PATCH', `/api/projects/${project}`, { name: 'mine' }],
  ['DELETE', `/api/projects/${project}`],
  ['POST', '/api/deployments', { projectId: project }],
  ['POST', '/api/deployments/build/access', { projectId: project }],
];
