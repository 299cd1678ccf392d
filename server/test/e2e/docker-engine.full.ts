import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, begin, deploy, type DeploymentJson, ended, ensureProject, json } from '../rig/deploy.ts';
import { dockerApp } from '../rig/docker-app.ts';
import { onEngine } from '../rig/docker-service.ts';
import { type DockerStage, startDockerStage } from '../rig/docker-stage.ts';
import { containersOf, endForgottenSteps, engineLeftovers } from '../rig/engine-things.ts';
import { sayFigures } from '../rig/figures.ts';
import { follow } from '../rig/follower.ts';
import { eventsIn, stepsOf } from '../rig/inside.ts';
import { atRest } from '../rig/leftovers.ts';
import { has } from '../rig/parts.ts';
import { holdIn } from '../rig/phases.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';
import { visit } from '../rig/visitors.ts';

const phases = ['build', 'release', 'start', 'check', 'route', 'retire'] as const;

describe.runIf(has('docker'))('kill -9 of the container engine', () => {
  let rig: DockerStage;
  let neighbour: DeploymentJson;
  let count = 0;

  beforeAll(async () => {
    rig = await startDockerStage({ env: { MOORING_ENGINE_TIMEOUT: '12', MOORING_START_TIMEOUT: '60' } });
    await ensureProject(rig.killable.now, 'staged', { rollbackWindow: 1 });
    const project = await ensureProject(rig.killable.now, 'neighbour');
    neighbour = await deploy(rig.killable.now, project, dockerApp('neighbour'));
    expect(neighbour.error).toBeNull();
  });
  afterAll(() => rig?.close());

  const service = () => rig.killable.now;
  const versionAt = async (url: string) => (await visit(url, '/', { agent: false })).release.split(' ')[0]!;
  const portsOf = async () =>
    new Map(
      (await containersOf(rig.docker))
        .filter(({ State }) => State === 'running')
        .map((each) => [each.Id, each.Ports[0]!.PublicPort]),
    );

  /** Requests both names continuously: a response is their own, or none. */
  function askBoth(own: Set<string>) {
    const stopping = new AbortController();
    const wrong: string[] = [];
    let [answers, gaps] = [0, 0];
    const lane = async (url: string, allowed: Set<string>) => {
      for (; !stopping.signal.aborted; await sleep(5))
        await versionAt(url).then(
          (version) => {
            answers++;
            if (!allowed.has(version)) wrong.push(`${url} was answered by ${version}`);
          },
          () => gaps++,
        );
    };
    const all = Promise.all([lane(rig.url, own), lane(neighbour.urls[0]!, new Set(['neighbour']))]);
    return async () => {
      stopping.abort();
      await all;
      return { answers, gaps, wrong };
    };
  }

  const bothAnswer = (version: string) =>
    until(
      'both answer as themselves',
      async () => (await versionAt(rig.url)) === version && (await versionAt(neighbour.urls[0]!)) === 'neighbour',
      // A killed engine sometimes leaves a network behind that has the address of the new container. The upkeep then
      // restarts the container.
      60_000,
    );

  /** The next upkeep round removes what could not be removed without the engine. */
  async function nothingIsLeft(): Promise<void> {
    endForgottenSteps(rig.docker);
    await atRest(service().dataDir);
    let left: string[] = [];
    const look = async () => !(left = await engineLeftovers(rig.docker, service().dataDir)).length;
    await until('nothing is left', look, 25_000).catch(() => expect(left).toEqual([]));
  }

  const restart = async (awayMs = 300) => {
    await rig.docker.stop('SIGKILL');
    await sleep(awayMs);
    await rig.docker.start();
  };

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'while nothing is deployed (%s): all apps return on their ports',
    async (signal) => {
      const before = await portsOf();
      expect(before.size).toBe(2);
      const stop = askBoth(new Set(['v0']));
      await rig.docker.stop(signal);
      await sleep(1000);
      const began = Date.now();
      await rig.docker.start();
      await bothAnswer('v0');
      sayFigures(`engine restarted (${signal})`, { answersAfterMs: Date.now() - began, ...(await stop()) });
      // The same containers, unless the engine takes so long that we start replacements.
      expect(new Set((await portsOf()).values())).toEqual(new Set(before.values()));
      expect((await stop()).wrong).toEqual([]);
    },
  );

  it.each(phases)(
    'during %s: the deployment resumes',
    async (phase) => {
      const version = `v${++count}-${phase}`;
      const serving = await versionAt(rig.url);
      const stop = askBoth(new Set([version, serving]));
      const held = await holdIn(phase, rig.stage(), version);
      const follower = follow(service().url, held.id);
      await sleep(300);
      await restart();
      // A client of the old release has lost its connection.
      await Promise.resolve(held.letGo(service())).catch((error: Error) =>
        expect([phase, error.message]).toEqual(['retire', expect.stringContaining('sent 8')]),
      );
      const { status, error } = await ended(service(), held.id, 120_000);
      expect([status, error]).toEqual(['ready', null]);
      await bothAnswer(version);
      expect((await stop()).wrong).toEqual([]);
      const seen = await follower.ended;
      expect(seen.map(({ id }) => id)).toEqual(eventsIn(service().dataDir, held.id).map(({ seq }) => seq));
      await atRest(service().dataDir);
      await nothingIsLeft();
    },
    120_000,
  );

  it('together with the service, during a build: the deployment resumes', async () => {
    const version = `v${++count}`;
    const held = await holdIn('build', rig.stage(), version);
    await Promise.all([rig.killable.kill(), rig.docker.stop('SIGKILL')]);
    await rig.killable.start();
    await sleep(1000);
    await rig.docker.start();
    await held.letGo(service());
    expect((await ended(service(), held.id, 60_000)).error).toBeNull();
    await bothAnswer(version);
    await atRest(service().dataDir);
  });

  it.each(['build', 'check'] as const)(
    'for good, during %s: it fails with the reason in time, and cleanup waits',
    async (phase) => {
      const serving = await versionAt(rig.url);
      const held = await holdIn(phase, rig.stage(), `v${++count}`);
      const began = Date.now();
      await rig.docker.stop('SIGKILL');
      const { status, error } = await ended(service(), held.id, 120_000);
      sayFigures(`engine away for good in ${phase}`, { ms: Date.now() - began, step: error?.step });
      expect(status).toBe('failed');
      expect(error).toMatchObject({ code: 'engine_away', message: 'Docker does not respond' });
      expect(error!.hint).toContain('DOCKER_HOST');
      expect((await service().get('/api/projects')).status, 'the service itself is well').toBe(200);
      await rig.docker.start();
      await held.letGo(service());
      await bothAnswer(serving);
      await nothingIsLeft();
    },
    180_000,
  );

  it.each(['build', 'check'] as const)(
    'that hangs, during %s: a cancel completes in time, and nothing is left afterwards',
    async (phase) => {
      const serving = await versionAt(rig.url);
      const held = await holdIn(phase, rig.stage(), `v${++count}`);
      process.kill(rig.docker.pid(), 'SIGSTOP');
      await sleep(500);
      const began = Date.now();
      await json(service().post(`/api/deployments/${held.id}/cancel`, {}));
      const { status } = await ended(service(), held.id, 60_000).finally(() =>
        process.kill(rig.docker.pid(), 'SIGCONT'),
      );
      const took = Date.now() - began;
      sayFigures(`cancel in ${phase} while the engine hangs`, { ms: took });
      expect(status).toBe('cancelled');
      expect(took).toBeLessThan(32_000);
      await bothAnswer(serving);
      await nothingIsLeft();
    },
    120_000,
  );

  it('a deployment started without the engine resumes once it is back; a cancelled one ends', async () => {
    await rig.docker.stop('SIGKILL');
    const version = `v${++count}`;
    const id = await begin(service(), rig.projectId, dockerApp(version));
    await until('it needs the engine', () =>
      stepsOf(service().dataDir, id).some(({ name, status }) => name === 'build' && status === 'running'),
    );
    await sleep(2000);
    expect((await service().post(`/api/deployments/${id}/cancel`, {})).status).toBe(200);
    expect((await ended(service(), id)).status).toBe('cancelled');
    const next = await begin(service(), rig.projectId, dockerApp(version));
    await sleep(2000);
    await rig.docker.start();
    expect((await ended(service(), next, 120_000)).error).toBeNull();
    await bothAnswer(version);
  }, 120_000);

  it.each(['docker', 'auto'])(
    'a service that starts before its engine (%s) works once the engine is up',
    async (runtime) => {
      await atRest(service().dataDir);
      const serving = await versionAt(rig.url);
      await rig.killable.kill();
      await rig.docker.stop('SIGTERM');
      const { dataDir } = service();
      const env = {
        ...onEngine(rig.docker),
        MOORING_RUNTIME: runtime,
        MOORING_LOG_LEVEL: 'warn',
        PORT: new URL(service().url).port,
      };
      const early: Service = await startService({ dataDir, env });
      expect((await early.get('/api/projects')).status).toBe(200);
      await sleep(1500);
      await rig.docker.start();
      await bothAnswer(serving);
      const next = await deploy(early, rig.projectId, dockerApp(`${serving}-${runtime}`));
      expect(next.error).toBeNull();
      expect(await versionAt(rig.url)).toBe(`${serving}-${runtime}`);
      await atRest(dataDir);
      await early.stop('SIGKILL');
      await rig.killable.start();
    },
    120_000,
  );

  /** Occupies the port of the stopped neighbour. */
  async function strangerOnItsPort(): Promise<{ port: number; remove: () => Promise<unknown> }> {
    const [victim] = (await containersOf(rig.docker)).filter(
      ({ State, Labels }) => State === 'running' && Labels?.['mooring.deployment'] === neighbour.id,
    );
    const port = victim!.Ports[0]!.PublicPort;
    const { client, namespace } = rig.docker;
    await client.json({ method: 'POST', path: `/containers/${victim!.Id}/kill` });
    const { Id } = await client.json<{ Id: string }>({
      method: 'POST',
      path: '/containers/create',
      query: { name: 'stranger' },
      body: {
        Image: 'node:24-slim',
        Cmd: [
          'node',
          '-e',
          `require('node:http').createServer((_, r) => r.setHeader('x-release', 'stranger 1').end()).listen(80)`,
        ],
        ExposedPorts: { '80/tcp': {} },
        HostConfig: {
          RestartPolicy: { Name: 'always' },
          PortBindings: { '80/tcp': [{ HostIp: namespace.address, HostPort: String(port) }] },
        },
      },
    });
    await client.json({ method: 'POST', path: `/containers/${victim!.Id}/stop`, query: { t: 0 } });
    await client.json({ method: 'POST', path: `/containers/${Id}/start` });
    const remove = () => client.json({ method: 'DELETE', path: `/containers/${Id}`, query: { force: true } });
    return { port, remove };
  }

  it('starts an app on another port if its port was taken while it was stopped', async () => {
    const serving = await versionAt(rig.url);
    const { port, remove } = await strangerOnItsPort();
    await bothAnswer(serving);
    expect(
      [...(await portsOf()).values()].filter((each) => each === port),
      'of the stranger alone',
    ).toHaveLength(1);
    await remove();
  });

  it("a foreign process on the port does not get the name's requests: they reach the app on its new port", async () => {
    const serving = await versionAt(rig.url);
    // After the engine's restart, the first container to start gets the port.
    const { remove } = await strangerOnItsPort();
    const stop = askBoth(new Set([serving]));
    await restart();
    await bothAnswer(serving);
    const { answers, wrong } = await stop();
    sayFigures('a stranger on the port of an app', { answers, byTheStranger: wrong.length });
    expect((await ask(neighbour.urls[0]!)).body).toBe('neighbour');
    await remove();
  });
});
