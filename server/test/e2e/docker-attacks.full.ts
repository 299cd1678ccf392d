import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { newFolder } from '../rig/children.ts';
import { ask, deploy, ended, ensureProject, folderOf, json, nodeApp } from '../rig/deploy.ts';
import { makeImage, node } from '../rig/docker-images.ts';
import { type DockerService, startDockerService } from '../rig/docker-service.ts';
import { containersOf } from '../rig/engine-things.ts';
import { type GitServer, startGitServer } from '../rig/git-server.ts';
import { newCanary } from '../rig/odd-input.ts';
import { has } from '../rig/parts.ts';
import { secondOrganization } from '../rig/second-organization.ts';
import type { Service } from '../rig/service.ts';

const newMark = () => randomBytes(12).toString('hex');
const server = `require('node:http').createServer((_, r) => r.end('up')).listen(process.env.PORT)`;
const simple = (lines: string[], files: Record<string, string> = {}) =>
  folderOf({
    Dockerfile: `${[`FROM ${node.name}`, ...lines, 'COPY server.js /', 'CMD ["node", "/server.js"]'].join('\n')}\n`,
    'server.js': server,
    ...files,
  });

describe.runIf(has('docker'))('attacks by builds and apps in containers', () => {
  const canary = newCanary();
  const hostSecret = newMark();
  const hostFile = join(newFolder('host'), 'secret');
  let rig: DockerService;
  let git: GitServer;
  let count = 0;
  beforeAll(async () => {
    writeFileSync(hostFile, hostSecret);
    [rig, git] = await Promise.all([startDockerService({ MOORING_LOG_LEVEL: 'debug' }), startGitServer()]);
    await makeImage(rig.docker.client, node);
  }, 120_000);
  afterAll(async () => {
    await rig?.close();
    await git?.stop();
    expect(canary.isAlive(), 'nothing that was sent was run here').toBe(true);
  });

  const newProject = (fields: object = {}, service: Service = rig.service) =>
    ensureProject(service, `attack ${++count}`, fields);
  const setVariables = async (project: string, variables: object) =>
    json(
      fetch(`${rig.service.url}/api/projects/${project}/variables`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${ownerToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ variables }),
      }),
    );
  /** Everything that the API shows of a deployment. */
  const shown = async (id: string) => {
    const parts = ['', '/logs', '/build', '/info', '/stream'];
    const answers = parts.map(async (part) => (await rig.service.get(`/api/deployments/${id}${part}`)).text());
    return (await Promise.all(answers)).join('\n');
  };
  const inspect = async (id: string) => {
    const [found] = (await containersOf(rig.docker)).filter(({ Labels }) => Labels?.['mooring.deployment'] === id);
    return rig.docker.client.json<Inspected>({ method: 'GET', path: `/containers/${found!.Id}/json` });
  };

  it('a build secret is in no layer, history, log, event or argument', async () => {
    const [atBuild, own, quiet] = [newMark(), newMark(), newMark()];
    const secrets = {
      AT_BUILD: { value: `p"${atBuild} $x`, secret: true, buildTime: true },
      OWN: { value: own, secret: true },
      // Used by the build, but not printed.
      QUIET: { value: quiet, secret: true, buildTime: true },
    };
    const print = `for (const x of [process.env.AT_BUILD ?? '', require('node:fs').existsSync('/run/secrets/AT_BUILD') ? String(require('node:fs').readFileSync('/run/secrets/AT_BUILD')) : ''])
      { console.log('it is', x); console.error(Buffer.from(x).toString('base64'), encodeURIComponent(x), JSON.stringify({ x })); if (x) console.log('got one'); }`;
    const generated = nodeApp('v1', 'console.log("mine", process.env.OWN);', {
      build: 'node print.js && test -n "$QUIET"',
    });
    writeFileSync(join(generated, 'print.js'), print);
    const byHand = simple(
      [
        'COPY print.js /',
        'RUN --mount=type=secret,id=AT_BUILD node /print.js',
        'RUN --mount=type=secret,id=QUIET test -s /run/secrets/QUIET',
        'RUN node /print.js',
      ],
      { 'print.js': print },
    );
    for (const folder of [generated, byHand]) {
      const project = await newProject({ releaseCommand: 'echo released with "$OWN"' });
      await setVariables(project, secrets);
      const { id, error } = await deploy(rig.service, project, folder);
      expect(error).toBeNull();
      const text = await shown(id);
      expect(text, 'the build had it').toContain('got one');
      const image = `mooring/${project.toLowerCase()}:${id}`;
      const { client } = rig.docker;
      const read = async (path: string) => buffer(await client.open({ method: 'GET', path }));
      const history = await read(`/images/${image}/history`);
      const places: Record<string, Buffer | string> = {
        answers: text,
        history,
        image: await read(`/images/${image}/json`),
        layers: await read(`/images/${image}/get`),
        cache: await read('/system/df'),
        'our log': rig.service.output(),
        arguments: argumentsOfAll(),
      };
      expect(places['layers']!.length).toBeGreaterThan(50_000_000);
      for (const [where, content] of Object.entries(places))
        for (const mark of [atBuild, own, quiet, Buffer.from(`p"${atBuild}`).toString('base64').slice(0, 16)])
          expect([where, content.includes(mark)]).toEqual([where, false]);
      // An app's own output is stored verbatim, and redacted when it is shown.
      const isOutput = (file: string) => file.includes('/containers/instances/');
      for (const mark of [atBuild, own, quiet])
        expect(filesWith(mark, rig.service.dataDir).filter((file) => !isOutput(file))).toEqual([]);
    }
    const engine = join(dirname(new URL(rig.docker.address).pathname), 'data');
    for (const part of ['overlay2', 'image']) expect(filesWith(atBuild, join(engine, part))).toEqual([]);
    // Newer engines store build output for everyone with access to the engine.
    for (const part of ['overlay2', 'image', 'buildkit']) expect(filesWith(quiet, join(engine, part))).toEqual([]);
  }, 120_000);

  it('an image of another organization is refused, however it is named', async () => {
    const others = await secondOrganization(rig.service);
    const theirs = await newProject({}, others);
    const theirMark = newMark();
    const made = await deploy(others, theirs, simple([`RUN echo ${theirMark} > /theirs`]));
    expect(made.error).toBeNull();
    const image = `mooring/${theirs.toLowerCase()}:${made.id}`;
    const { Id } = await rig.docker.client.json<{ Id: string }>({ method: 'GET', path: `/images/${image}/json` });
    const mine = await newProject();
    await setVariables(mine, { BASE: { value: image, buildTime: true } });
    const files = { 'server.js': server };
    const after = 'CMD ["node", "/server.js"]';
    const attempts = [
      `FROM ${image}\n${after}`,
      `FROM docker.io/${image}\n${after}`,
      `FROM ${Id}\n${after}`,
      `FROM ${Id.slice(7, 19)}\n${after}`,
      `ARG BASE\nFROM $BASE\n${after}`,
      `ARG BASE=${node.name}\nFROM \${BASE:-x}\n${after}`,
      `FROM ${node.name}\nCOPY --from=${image} /theirs /\nRUN cat /theirs\n${after}`,
      `FROM ${node.name}\nRUN --mount=from=${image},target=/x cat /x/theirs\n${after}`,
      `FROM ${image} AS first\nFROM ${node.name}\nCOPY --from=first /theirs /\nRUN cat /theirs\n${after}`,
    ];
    for (const Dockerfile of attempts) {
      const { id, status, error } = await deploy(rig.service, mine, folderOf({ Dockerfile, ...files }));
      expect([Dockerfile, status]).toEqual([Dockerfile, 'failed']);
      expect(['build_refused', 'build_failed', 'pull_failed']).toContain(error!.code);
      expect(await shown(id)).not.toContain(theirMark);
    }
    // The owner matters: an organization's own image is allowed.
    const again = await newProject({}, others);
    const built = await deploy(
      others,
      again,
      folderOf({ Dockerfile: `FROM ${image}\nRUN cat /theirs\n${after}`, ...files }),
    );
    expect(built.error).toBeNull();
  }, 120_000);

  const hostile: [string, string[]][] = [
    ['the network of the host', ['RUN --network=host cat /proc/net/tcp']],
    ['more rights', ['RUN --security=insecure mount -t proc proc /mnt']],
    ['a file beside the source', ['COPY ../../../../../../../../etc/hostname /x']],
    ['a file by its path', [`COPY ${hostFile} /x`, 'RUN cat /x']],
    ['a file as an address', [`ADD file://${hostFile} /x`, 'RUN cat /x']],
    ['a folder of the host', ['RUN --mount=type=bind,source=../../../../../../etc,target=/x cat /x/hostname /x/x']],
    ['a link in the source', ['COPY link /x', 'RUN cat /x/secret /x']],
    ['a link in the source, by a name below it', ['COPY link/secret /x', 'RUN cat /x']],
    ['a link in the source, mounted', ['RUN --mount=type=bind,target=/x cat /x/link/secret']],
    ['keys of the host', ['RUN --mount=type=ssh test -e "$SSH_AUTH_SOCK"']],
  ];

  /** Uses git, which allows any symlink; uploads with one that points outside are refused. */
  async function deployFromGit(folder: string) {
    const repository = `hostile-${count}`;
    git.push(repository, folder, 'hostile');
    const projectId = await newProject({ source: { type: 'git', url: git.url(repository), branch: 'main' } });
    const { data } = await json<{ data: { id: string } }>(rig.service.post('/api/deployments', { projectId }));
    return ended(rig.service, data.id);
  }

  it.each(hostile)('a Dockerfile that wants %s gets nothing from the host', async (_, lines) => {
    const folder = simple(lines);
    symlinkSync(dirname(hostFile), join(folder, 'link'));
    const { id, status } = await deployFromGit(folder);
    expect(status).toBe('failed');
    const text = await shown(id);
    expect(text).not.toContain(hostSecret);
    expect(text).not.toContain('"code":"internal"');
  });

  it.each(['Dockerfile', '.dockerignore'])('a %s that is a symlink to a host file is not read', async (name) => {
    const folder = simple([]);
    rmSync(join(folder, name), { force: true });
    symlinkSync(hostFile, join(folder, name));
    const { id } = await deployFromGit(folder);
    expect(await shown(id)).not.toContain(hostSecret);
    await expect(deploy(rig.service, await newProject(), folder)).rejects.toThrow('a link that leads outside');
  });

  it('a Dockerfile with its own frontend is refused', async () => {
    const Dockerfile = `# syntax=evil/reader:1\nFROM ${node.name}\nCMD ["node", "/server.js"]\n`;
    const { error } = await deploy(rig.service, await newProject(), folderOf({ Dockerfile, 'server.js': server }));
    expect(error).toMatchObject({ code: 'build_refused', message: expect.stringContaining('evil/reader') });
  });

  it('an app that tries everything stays confined', async () => {
    const tries = {
      socket: `fs.readdirSync('/var/run').concat(fs.readdirSync('/run')).filter((x) => x.includes('docker'))`,
      device: `run('mknod', '/tmp/sda', 'b', '8', '0')`,
      mounting: `run('mount', '-t', 'proc', 'proc', '/tmp')`,
      kernel: `fs.writeFileSync('/proc/sys/kernel/core_pattern', 'x')`,
      sysrq: `fs.writeFileSync('/proc/sysrq-trigger', 'b')`,
      file: `fs.readFileSync(${JSON.stringify(hostFile)}, 'utf8')`,
      processes: `fs.readdirSync('/proc').filter((x) => /^[0-9]+$/.test(x)).length < 12`,
      rights: `/NoNewPrivs:\\s1/.test(fs.readFileSync('/proc/self/status', 'utf8'))`,
      capabilities: `/CapEff:\\s(\\w+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]`,
    };
    const program = `const fs = require('node:fs');
const run = (...args) => { const r = require('node:child_process').spawnSync(args[0], args.slice(1)); if (r.status !== 0) throw new Error('refused'); return 'done'; };
const found = {};
for (const [name, act] of Object.entries({ ${Object.entries(tries)
      .map(([name, act]) => `${name}: () => ${act}`)
      .join(',\n')} }))
  try { found[name] = act(); } catch (error) { found[name] = 'refused'; }
require('node:http').createServer((_, r) => r.end(JSON.stringify(found))).listen(process.env.PORT);`;
    const labels = ['instance', 'organization', 'project', 'deployment', 'fence', 'service'].map(
      (each) => `mooring.${each}=x`,
    );
    const folder = simple(['USER root', `LABEL ${labels.join(' ')}`, 'VOLUME ["/var/run/docker.sock", "/data"]']);
    writeFileSync(join(folder, 'server.js'), program);
    const project = await newProject({ name: `x $(touch ${canary.folder}/name)` });
    const { id, error, urls } = await deploy(rig.service, project, folder);
    expect(error).toBeNull();
    const found = JSON.parse((await ask(urls[0]!)).body) as Record<string, unknown>;
    const refused = Object.fromEntries(
      ['device', 'mounting', 'kernel', 'sysrq', 'file'].map((name) => [name, 'refused']),
    );
    expect(found).toMatchObject({ ...refused, processes: true, rights: true });
    // Never granted: system, network and module administration, ptrace, mknod, raw memory access.
    expect(BigInt(`0x${String(found['capabilities'])}`) & 0b1111_1111_0011_0000_0000_0000n).toBe(0n);
    const { HostConfig, Mounts, Config } = await inspect(id);
    expect(HostConfig).toMatchObject({
      Privileged: false,
      Binds: expect.toSatisfy((each: unknown[] | null) => !each?.length),
      PidMode: '',
      IpcMode: expect.stringMatching(/private|^$/),
      Devices: expect.toSatisfy((each: unknown[] | null) => !each?.length),
    });
    expect(Mounts.filter(({ Type }) => Type === 'bind')).toEqual([]);
    expect(Config.Labels).toMatchObject({ 'mooring.deployment': id, 'mooring.project': project });
    expect(Object.values(Config.Labels)).not.toContain('x');
  }, 60_000);

  it('names, variables, branches and commands are never interpreted', async () => {
    const odd = canary.values.filter((value) => !value.includes('\0'));
    const folder = nodeApp('v1', '', { build: 'node -e "console.log(JSON.stringify(process.env))" > env.json' });
    const served = `const built = require('./env.json'); require('node:http').createServer((_, r) => r.end(JSON.stringify({ built, now: process.env }))).listen(process.env.PORT);`;
    writeFileSync(join(folder, 'server.js'), served);
    const branch = `x;touch\${IFS}${canary.folder}/branch;`;
    git.push('odd', folder, `$(touch ${canary.folder}/message)`, branch);
    const project = await newProject({
      name: `odd "$(touch ${canary.folder}/project)" --privileged`,
      source: { type: 'git', url: git.url('odd'), branch },
      startCommand: 'node server.js "it\'s" $(echo fine) --privileged',
      releaseCommand: `test -d / && echo "it's 'released'" && ! test -e ${canary.folder}`,
    });
    const values = Object.fromEntries(odd.map((value, i) => [`ODD_${i}`, { value, buildTime: true }]));
    const tricky = { value: 'x\nRUN touch /pwned\nUSER root\n"\'\\ $HOME ${HOME} %s', buildTime: true };
    await setVariables(project, {
      ...values,
      TRICKY: tricky,
      DOCKER_HOST: { value: 'tcp://1.2.3.4', buildTime: true },
    });
    type Created = { data: { id: string } };
    const { data } = await json<Created>(rig.service.post('/api/deployments', { projectId: project }));
    const { error, urls } = await ended(rig.service, data.id);
    expect(error).toBeNull();
    type Env = Record<string, string>;
    const { built, now } = JSON.parse((await ask(urls[0]!)).body) as { built: Env; now: Env };
    for (const [name, { value }] of Object.entries({ ...values, TRICKY: tricky })) {
      expect([name, now[name]]).toEqual([name, value]);
      expect([name, built[name]]).toEqual([name, value]);
    }
    expect(canary.isAlive()).toBe(true);
    await setVariables(project, { BUILDKIT_SYNTAX: { value: 'evil/reader', buildTime: true } });
    const again = await json<Created>(rig.service.post('/api/deployments', { projectId: project }));
    expect((await ended(rig.service, again.data.id)).error).toMatchObject({ code: 'build_refused' });
    const headers = { authorization: `Bearer ${ownerToken}` };
    await json(fetch(`${rig.service.url}/api/projects/${project}`, { method: 'DELETE', headers }));
  }, 90_000);
});

type Inspected = {
  HostConfig: Record<string, unknown>;
  Mounts: { Type: string }[];
  Config: { Labels: Record<string, string> };
};

/** The arguments of every process on this machine. */
const argumentsOfAll = (): string =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/cmdline`))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        // It ended in the meantime.
        return '';
      }
    })
    .join('\n');

const filesWith = (text: string, folder: string): string[] =>
  spawnSync('grep', ['-rlaF', '--', text, folder], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
