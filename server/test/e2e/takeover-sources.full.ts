import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { begin, ended, ensureProject, json } from '../rig/deploy.ts';
import { dockerApp } from '../rig/docker-app.ts';
import { type Gates, startGates } from '../rig/docker-gate.ts';
import { makeImage, node } from '../rig/docker-images.ts';
import { sayFigures } from '../rig/figures.ts';
import { follow } from '../rig/follower.ts';
import type { Gate } from '../rig/gate.ts';
import { type GitServer, startGitServer } from '../rig/git-server.ts';
import { type Killable, startKillable } from '../rig/killable.ts';
import { type ManagedServer, startManagedServer } from '../rig/managed-server.ts';
import { has } from '../rig/parts.ts';
import { newDatabase, query } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';
import { visit } from '../rig/visitors.ts';

const idOf = ({ now }: Killable): string => readFileSync(join(now.dataDir, 'replica.id'), 'utf8').trim();

/** `web` starts only with the file of the source that it mounts; `side` is there to make it a stack. */
function stackFolder(version: string, options: Parameters<typeof dockerApp>[1]): string {
  const folder = dockerApp(version, options);
  const services = {
    web: {
      build: '.',
      ports: ['3000'],
      environment: { PORT: '3000', HOST: '0.0.0.0' },
      volumes: ['./note.txt:/note.txt:ro'],
      command: ['sh', '-c', `grep -q ${version} /note.txt && exec node server.js`],
    },
    side: { image: node.name, command: ['node', '-e', 'setInterval(() => {}, 1000)'] },
  };
  writeFileSync(join(folder, 'compose.yaml'), JSON.stringify({ services }));
  writeFileSync(join(folder, 'note.txt'), `${version}\n`);
  return folder;
}

describe.runIf(has('docker') && has('sshd') && has('postgres'))(
  'a replica dies during a deployment to a server',
  () => {
    let server: ManagedServer;
    let git: GitServer;
    let gates: Gates;
    let database: string;
    let replicas: [Killable, Killable];
    let serverId: string;
    const closing: (() => unknown)[] = [];
    let count = 0;

    beforeAll(async () => {
      server = await startManagedServer();
      closing.push(() => server.close());
      await makeImage(server.docker.client, node);
      [git, gates] = await Promise.all([startGitServer(), startGates(server.docker.namespace)]);
      closing.push(
        () => git.stop(),
        () => gates.stop(),
      );
      database = await newDatabase(inject('postgresUrl'));
      const env = {
        DATABASE_URL: database,
        MOORING_SECRET_KEY: randomBytes(32).toString('base64'),
        MOORING_START_TIMEOUT: '60',
      };
      replicas = [await startKillable(env), await startKillable(env)];
      closing.push(...replicas.map((each) => () => each.now.stop()));
      const body = { ...server.body, edgePort: 8080, edgeTlsPort: 8443, baseDomain: 'apps.example.com' };
      serverId = (await json<{ data: { id: string } }>(replicas[0].now.post('/api/servers', body))).data.id;
    }, 120_000);
    afterAll(async () => {
      for (const each of closing.toReversed()) await each();
    });

    const rowOf = async (id: string) =>
      (await query(database, `select * from deployments where id = '${id}'`))[0] as { machine: string };

    async function begun(from: 'upload' | 'git', name: string, folder: string): Promise<string> {
      const { now } = replicas[0];
      if (from === 'upload') {
        const project = await ensureProject(now, name);
        return begin(now, project, folder, { deployTarget: 'server', serverId });
      }
      git.push(name, folder, name);
      const source = { type: 'git', url: git.url(name), branch: 'main' };
      const projectId = await ensureProject(now, name, { source, serverId });
      return (await json<{ data: { id: string } }>(now.post('/api/deployments', { projectId }))).data.id;
    }

    const held = {
      build: (gate: Gate) => ({ scripts: { build: `echo building; ${gate.wait}` } }),
      check: (gate: Gate) => ({ listensWhen: gate.at }),
    };

    it.each([
      { what: 'an app', from: 'upload', phase: 'build' },
      { what: 'an app', from: 'upload', phase: 'check' },
      { what: 'a stack', from: 'upload', phase: 'build' },
      { what: 'a stack', from: 'upload', phase: 'check' },
      { what: 'a stack', from: 'git', phase: 'check' },
    ] as const)(
      'in $phase of $what from $from, and the other replica takes over',
      async ({ what, from, phase }) => {
        const [version, gate] = [`v${++count}`, gates.newGate()];
        const folder = (what === 'an app' ? dockerApp : stackFolder)(version, held[phase](gate));
        const name = `taken-${count}`;
        const id = await begun(from, name, folder);
        await until('it is held', () => gate.isReached!(), 60_000);
        const { machine } = await rowOf(id);
        const [holder, rest] = machine === idOf(replicas[0]) ? replicas : [replicas[1], replicas[0]];
        const follower = follow(rest.now.url, id);
        const began = Date.now();
        await holder.kill();
        // The branch moves on; the deployment does not.
        if (from === 'git') git.push(name, stackFolder('later', {}), 'later');
        await until('the other has it', async () => (await rowOf(id)).machine !== machine, 40_000);
        const takenAfterMs = Date.now() - began;
        gate.open();
        const { status, error, urls } = await ended(rest.now, id, 60_000);
        sayFigures(`${what} from ${from}, killed in ${phase}`, { takenAfterMs, wholeMs: Date.now() - began });
        expect([status, error]).toEqual(['ready', null]);
        const { release } = await visit(urls[0]!, '/', { agent: false, address: server.address });
        expect(release.split(' ')[0]).toBe(version);
        const seen = (await follower.ended).map((event) => event.id);
        expect(seen).toEqual(seen.map((_, i) => i + 1));
        await holder.start();
      },
      180_000,
    );
  },
);
