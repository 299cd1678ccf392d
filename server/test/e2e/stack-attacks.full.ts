import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { ask, ensureProject, folderOf, json } from '../rig/deploy.ts';
import { node } from '../rig/docker-images.ts';
import { has } from '../rig/parts.ts';
import { shop } from '../rig/stack.ts';
import { type StackStage, startStackStage } from '../rig/stack-stage.ts';

const idle = 'command: ["node", "-e", "setInterval(() => {}, 1000)"]';
const compose = (...lines: string[]) =>
  folderOf({ 'compose.yaml': `services:\n  evil:\n    image: ${node.name}\n    ${[idle, ...lines].join('\n    ')}\n` });

/** Each one would give access to the machine. */
const escapes: Record<string, string> = {
  privileged: 'privileged: true',
  'the network of the machine': 'network_mode: host',
  'the processes of the machine': 'pid: host',
  'memory of the machine': 'ipc: host',
  'users of the machine': 'userns_mode: host',
  'the socket of the engine': 'volumes: ["/var/run/docker.sock:/var/run/docker.sock"]',
  'a folder of the machine': 'volumes: ["/etc:/host:ro"]',
  'a folder beside the source': 'volumes: ["../..:/host"]',
  'a volume that is a folder of the machine':
    'volumes: ["hole:/host"]\nvolumes:\n  hole: { driver_opts: { type: none, o: bind, device: / } }',
  'a device': 'devices: ["/dev/mem:/dev/mem"]',
  'a capability': 'cap_add: [SYS_ADMIN]',
  'no confinement': 'security_opt: ["seccomp:unconfined"]',
  'another container': 'network_mode: "container:somebody"',
  'a network of others': 'networks: [theirs]\nnetworks:\n  theirs: { external: true, name: bridge }',
};

describe.runIf(has('docker'))('attacks by several services', () => {
  let rig: StackStage;
  beforeAll(async () => {
    rig = await startStackStage();
  }, 120_000);
  afterAll(() => rig?.close(), 120_000);
  const changed = (project: string, path: string, body: object) =>
    json(
      fetch(`${rig.service().url}/api/projects/${project}${path}`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${ownerToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    );
  const begun = async (id: string, action: string) =>
    rig.settled((await json<{ deployment_id: string }>(rig.act(id, action))).deployment_id);

  it('cannot reach the machine through a compose file', async () => {
    const project = await ensureProject(rig.service(), 'evil');
    for (const [what, line] of Object.entries(escapes)) {
      const over = await rig.deployed(project, compose(line));
      expect([what, over.status], JSON.stringify(over)).toEqual([what, 'failed']);
      expect(['not_trusted', 'compose_invalid'], what).toContain(over.error!.code);
      expect(await rig.containers(project), what).toEqual([]);
    }
  }, 240_000);

  it('cannot reach it through services of a request either', async () => {
    const project = await ensureProject(rig.service(), 'asked');
    for (const more of [{ volumes: ['/etc:/host'] }, { volumes: ['/var/run/docker.sock:/s'] }]) {
      const services = [{ name: 'evil', image: node.name, ...more }];
      const answer = await rig.service().post('/api/deployments/build/access', { projectId: project, services });
      expect(answer.status).toBe(400);
    }
    expect(await rig.containers(project)).toEqual([]);
  });

  it('can while the project is trusted, and no longer: not by redeploy, rollback or recovery', async () => {
    const project = await ensureProject(rig.service(), 'trusted', { trusted: true });
    const mine = compose('volumes: ["/etc:/host:ro"]');
    const first = await rig.deployed(project, mine);
    expect([first.status, first.error], JSON.stringify(first)).toEqual(['ready', null]);
    const second = await rig.deployed(project, compose('environment: { N: "2" }'));
    expect(second.status, JSON.stringify(second)).toBe('ready');
    await changed(project, '', { trusted: false });
    for (const action of ['redeploy', 'rollback']) {
      const over = await begun(first.id, action);
      expect([action, over.status], JSON.stringify(over)).toEqual([action, 'failed']);
    }
    const binds = await Promise.all(
      (await rig.containers(project))
        .filter(({ state }) => state === 'running')
        .map(({ id }) =>
          rig.docker.client.json<{ Mounts: { Source: string }[] }>({ method: 'GET', path: `/containers/${id}/json` }),
        ),
    );
    expect(binds.flatMap(({ Mounts }) => Mounts.map(({ Source }) => Source))).toEqual([]);
  }, 180_000);

  it('cannot resolve the names of another project', async () => {
    const [one, two] = await Promise.all(['one', 'two'].map((name) => ensureProject(rig.service(), name)));
    const first = await rig.deployed(one!, shop());
    expect(first.error).toBeNull();
    const spy = `const http = require('node:http'); const names = ['db', 'api', 'worker'];
http.createServer(async (q, s) => s.end(JSON.stringify(await Promise.all(names.map((n) => fetch('http://' + n + ':3000/', { signal: AbortSignal.timeout(3000) }).then((r) => r.text(), (e) => 'not found: ' + (e.cause?.code ?? e.name))))))).listen(3000);`;
    const second = await rig.deployed(
      two!,
      folderOf({
        'compose.yaml': `services:\n  web:\n    build: .\n    ports: ["3000"]\n`,
        Dockerfile: `FROM ${node.name}\nCOPY spy.js /\nCMD ["node", "/spy.js"]\n`,
        'spy.js': spy,
      }),
    );
    expect(second.error, JSON.stringify(second)).toBeNull();
    expect(JSON.parse((await ask(second.urls[0]!)).body)).toEqual(Array(3).fill(expect.stringContaining('not found')));
    // Nor connect to their addresses.
    const ids = Object.values(await rig.running(one!));
    type Inspected = { NetworkSettings: { Networks: Record<string, { IPAddress: string }> } };
    const inspected = await Promise.all(
      ids.map((id) => rig.docker.client.json<Inspected>({ method: 'GET', path: `/containers/${id}/json` })),
    );
    const addresses = inspected.flatMap(({ NetworkSettings }) =>
      Object.values(NetworkSettings.Networks).map(({ IPAddress }) => IPAddress),
    );
    const knock = await rig.deployed(
      two!,
      folderOf({
        'compose.yaml': `services:\n  web:\n    build: .\n    ports: ["3000"]\n`,
        Dockerfile: `FROM ${node.name}\nCOPY spy.js /\nCMD ["node", "/spy.js"]\n`,
        'spy.js': spy.replace(`['db', 'api', 'worker']`, JSON.stringify(addresses)),
      }),
    );
    const heard = JSON.parse((await ask(knock.urls[0]!)).body) as string[];
    expect(heard.filter((each) => !each.startsWith('not found'))).toEqual([]);
  }, 180_000);

  it('show no secret in errors, events, logs, labels or arguments', async () => {
    const project = await ensureProject(rig.service(), 'secretive');
    const secret = `s3cr3t-${randomBytes(12).toString('hex')}`;
    await changed(project, '/variables', { variables: { API_NOTE: { value: secret, secret: true } } });
    const told = 'console.error(process.env.VERSION); console.log("my note is " + process.env.VERSION);';
    const well = await rig.deployed(project, shop({ apiProgram: told }));
    expect(well.error, JSON.stringify(well)).toBeNull();
    const half = await rig.deployed(project, shop({ web: 'v2', apiProgram: `${told} process.exit(2);` }));
    expect(half.status, JSON.stringify(half)).toBe('partial_failure');
    // Which of the two comes last depends on the engine: they are different streams.
    const said = /\(exit code 2\): (?:my note is )?\[hidden\]$/;
    expect(half.services.find(({ name }) => name === 'api')!.error).toMatch(said);
    const seen = await Promise.all(
      [well, half].flatMap(({ id }) =>
        ['', '/logs', '/logs?service=api', '/build', '/info', '/usage'].map(async (part) =>
          (await rig.service().get(`/api/deployments/${id}${part}`)).text(),
        ),
      ),
    );
    await rig.done(half.id, 'keep');
    seen.push(await (await rig.service().get(`/api/deployments/${half.id}/stream`)).text(), rig.service().output());
    expect(seen.join('\n')).not.toContain(secret);
    for (const { id } of await rig.containers(project)) {
      type Inspected = { Config: { Env: string[]; Labels: object } };
      const inspected = await rig.docker.client.json<Inspected>({ method: 'GET', path: `/containers/${id}/json` });
      inspected.Config.Env = [];
      expect(JSON.stringify(inspected)).not.toContain(secret);
    }
  }, 180_000);
});
