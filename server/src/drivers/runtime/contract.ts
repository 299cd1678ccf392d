import { StaleFenceError } from '../stale-fence.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/rig/until.ts';
import type { Instance, ReleaseSpec, Runtime } from './runtime.ts';

/** A driver under test and its fixtures. */
export interface RuntimeRig {
  runtime: Runtime;
  /** Another driver over the same state: the service after a restart. */
  again: () => Runtime;
  /** Another Mooring instance that uses the same place. */
  stranger: () => Runtime;
  /** A release that runs this JavaScript with Node. */
  release: (program: string, changes?: ReleaseChanges) => ReleaseSpec;
  /** Where this machine reaches an instance, if not at its own address. */
  reach?: (instance: Instance) => Promise<{ host: string; port: number }>;
  /** Stops and removes everything, also after a failure. */
  close: () => Promise<void>;
}
export type ReleaseChanges = Partial<Pick<ReleaseSpec, 'env' | 'secretKeys' | 'port' | 'memoryBytes'>> & {
  owner?: Partial<ReleaseSpec['owner']>;
  /** For a runtime that runs from folders. */
  folderName?: string;
};

const server = `
  const { createServer } = require('node:http');
  createServer((_, response) => response.end(String(process.env.ANSWER ?? 'hello'))).listen(process.env.PORT, process.env.HOST,
    () => console.log('listening'));`;
const polite = `${server} process.on('SIGTERM', () => { console.log('bye'); process.exit(0); });`;
const stubborn = `${server} process.on('SIGTERM', () => console.log('no'));`;
const hostile = ['$(touch /tmp/mooring-pwned)', '`id`; rm -rf x', '-rf', '--', 'a\nb\r\nc', '\'"\\', ' ', '', '💥=é'];

/** Behavior of every runtime. */
export function runtimeContract(name: string, start: () => RuntimeRig | Promise<RuntimeRig>): void {
  describe(`runtime contract: ${name}`, () => {
    let rig: RuntimeRig;
    const begin = async () => (rig = await start());
    const answer = async (instance: Instance) => {
      const { host, port } = (await rig.reach?.(instance)) ?? instance;
      return (await fetch(`http://${host}:${port}/`)).text();
    };
    const answers = (instance: Instance) => until('the app answers', () => answer(instance));
    const silent = (instance: Instance) => expect(answer(instance)).rejects.toThrow();
    const lines = async (id: string) => (await rig.runtime.logs(id, {})).map(({ line }) => line);
    const count = async (id: string, wanted: string) => (await lines(id)).filter((line) => line === wanted).length;
    afterEach(() => rig.close());

    it('starts a release that listens on its assigned port', async () => {
      const { runtime, release } = await begin();
      const spec = release(server);
      const instance = await runtime.start(spec);
      expect(await answers(instance)).toBe('hello');
      expect(instance).toMatchObject({ state: 'running', owner: spec.owner, restarts: 0 });
      expect(Math.abs(instance.startedAt! - Date.now())).toBeLessThan(20_000);
      expect(await runtime.find(spec.owner.deploymentId)).toMatchObject({ id: instance.id, state: 'running' });
      expect(await runtime.find('dep_unknown')).toBeUndefined();
    });

    it("passes variables unchanged and none of the service's own", async () => {
      const { runtime, release } = await begin();
      process.env['MOORING_OF_THE_SERVICE'] = 'secret of the service';
      const env = Object.fromEntries(hostile.map((value, i) => [`HOSTILE_${i}`, value]));
      const spec = release('console.log(JSON.stringify(process.env)); setInterval(() => {}, 1000)', {
        env,
        folderName: '-e $(touch pwned) `id`; "quoted" \'x\' é',
      });
      await runtime.start(spec);
      const seen = await until('it prints its variables', async () => (await lines(spec.owner.deploymentId))[0]);
      expect(JSON.parse(seen!)).toMatchObject(env);
      expect(seen).not.toContain('secret of the service');
    });

    it('does not start a running release again, even concurrently', async () => {
      const { runtime, release, again } = await begin();
      const spec = release(server);
      const [one, two] = await Promise.all([runtime.start(spec), again().start(spec)]);
      await answers(one);
      const three = await runtime.start(spec);
      expect(new Set([one, two, three].map(({ id, startedAt }) => `${id} ${startedAt}`)).size).toBe(1);
      expect(await count(spec.owner.deploymentId, 'listening')).toBe(1);
      expect(await runtime.list()).toHaveLength(1);
    });

    it('replaces a release with an older fence and rejects an older caller', async () => {
      const { runtime, release } = await begin();
      const spec = (fence: number, ANSWER: string) => release(polite, { owner: { fence }, env: { ANSWER } });
      const old = await runtime.start(spec(3, 'old'));
      expect(await answers(old)).toBe('old');
      const replaced = await runtime.start(spec(4, 'new'));
      await until('the new one answers', async () => (await answer(replaced)) === 'new');
      expect(replaced.owner.fence).toBe(4);
      await expect(runtime.start(spec(3, 'old'))).rejects.toThrow(StaleFenceError);
      expect(await answer(replaced)).toBe('new');
      await runtime.stop(replaced.owner.deploymentId, 2000);
      await expect(runtime.start(spec(3, 'old'))).rejects.toThrow(StaleFenceError);
      expect(await runtime.list()).toHaveLength(1);
    });

    it('runs replicas of a service and addresses them together or one by one', async () => {
      const { runtime, release } = await begin();
      const spec = (replica: number) =>
        release(server, { owner: { ...(replica > 1 && { replica }) }, env: { ANSWER: `replica ${replica}` } });
      const started = await Promise.all([1, 2, 3].map((replica) => runtime.start(spec(replica))));
      expect(await Promise.all(started.map(answers))).toEqual(['replica 1', 'replica 2', 'replica 3']);
      const { deploymentId } = started[0]!.owner;
      const all = await runtime.find(deploymentId);
      const [first, second, third] = started.map(({ id }) => id);
      expect([all!.id, ...all!.others!.map(({ id }) => id)]).toEqual([first, second, third]);
      expect(await runtime.find(deploymentId, 'app', 2)).toMatchObject({ id: second, owner: { replica: 2 } });
      await until('each has said something', async () => {
        const replicas = (await runtime.logs(deploymentId, {})).map(({ replica }) => replica ?? 1);
        return new Set(replicas).size === 3;
      });
      expect(await runtime.usage(deploymentId, 'app', 2)).toBeDefined();
      await runtime.stop(deploymentId, 1000, 'app', 2);
      expect((await runtime.find(deploymentId))!.others).toMatchObject([{ state: 'exited' }, { state: 'running' }]);
      await runtime.remove(deploymentId, 'app', 2);
      expect((await runtime.find(deploymentId))!.others).toMatchObject([{ id: third }]);
      await runtime.stop(deploymentId, 1000, 'app');
      expect((await runtime.list()).map(({ state }) => state)).toEqual(['exited', 'exited']);
      await runtime.remove(deploymentId);
      expect(await runtime.list()).toEqual([]);
    });

    it('reports a crash loop', async () => {
      const { runtime, release } = await begin();
      const spec = release('console.error("about to crash"); process.exit(3)');
      const { owner } = await runtime.start(spec);
      const seen = await until('it was restarted twice', async () => {
        const found = await runtime.find(owner.deploymentId);
        return found!.restarts >= 2 && found!.state !== 'running' && found;
      });
      expect(seen).toMatchObject({ state: expect.stringMatching(/restarting|exited/), exitCode: 3 });
      const last = (await runtime.logs(owner.deploymentId, { tail: 1 }))[0];
      expect(last).toMatchObject({ stream: 'stderr', line: 'about to crash' });
      await runtime.stop(owner.deploymentId, 1000);
      const stopped = await runtime.find(owner.deploymentId);
      expect(stopped).toMatchObject({ state: 'exited' });
    });

    it('stops gracefully, and kills an app that ignores the signal', async () => {
      const { runtime, release } = await begin();
      const gentle = await runtime.start(release(polite, { owner: { deploymentId: 'dep_polite' } }));
      const deaf = await runtime.start(release(stubborn, { owner: { deploymentId: 'dep_stubborn' } }));
      await Promise.all([answers(gentle), answers(deaf)]);
      const began = Date.now();
      await Promise.all([runtime.stop('dep_polite', 10_000), runtime.stop('dep_stubborn', 400)]);
      expect(Date.now() - began).toBeLessThan(6000);
      expect(await lines('dep_polite')).toContain('bye');
      expect(await lines('dep_stubborn')).toContain('no');
      expect((await runtime.list()).map(({ state }) => state)).toEqual(['exited', 'exited']);
      await Promise.all([silent(gentle), silent(deaf)]);
      await runtime.stop('dep_polite', 0);
      await runtime.stop('dep_unknown', 0);
    });

    it('restarts on the same port', async () => {
      const { runtime, release } = await begin();
      const before = await runtime.start(release(polite, { env: { ANSWER: 'kept' } }));
      await answers(before);
      const after = await runtime.restart(before.owner.deploymentId);
      expect(await answers(after)).toBe('kept');
      expect(after).toMatchObject({ id: before.id, port: before.port, host: before.host, state: 'running' });
      expect(after.startedAt).toBeGreaterThan(before.startedAt!);
      await until('it says so again', async () => (await count(before.owner.deploymentId, 'listening')) === 2);
    });

    it('keeps the log of the app', async () => {
      const { runtime, release } = await begin();
      const program = `for (let i = 1; i <= 50; i++) console.log('line ' + i + ' é💥');
        setTimeout(() => console.error('later'), 700); setInterval(() => {}, 1000);`;
      const { owner } = await runtime.start(release(program));
      const all = await until('the last line', async () => {
        const read = await runtime.logs(owner.deploymentId, {});
        expect(read).toHaveLength(51);
        return read;
      });
      expect(all.slice(0, 50).map(({ line }) => line)).toEqual(
        Array.from({ length: 50 }, (_, i) => `line ${i + 1} é💥`),
      );
      expect(all.at(-1)).toMatchObject({ stream: 'stderr', line: 'later' });
      expect(await runtime.logs(owner.deploymentId, { since: all[49]!.at + 300 })).toEqual([all[50]]);
      expect(await runtime.logs(owner.deploymentId, { tail: 3 })).toEqual(all.slice(-3));
      expect(await runtime.logs(owner.deploymentId, { tail: 0 })).toEqual([]);
      await runtime.stop(owner.deploymentId, 500);
      expect(await runtime.logs(owner.deploymentId, { tail: 2 })).toEqual(all.slice(-2));
      expect(await runtime.logs('dep_unknown', {})).toEqual([]);
    });

    it('redacts secrets in the log', async () => {
      const { runtime, release, again } = await begin();
      const env = {
        SECRET: 'p/+ "s3cr3t-value" &',
        KEY: 'first line of it\nsecond line of it',
        OPEN: 'not-a-secret-value',
      };
      const program = `const { SECRET, KEY, OPEN } = process.env;
        console.log('open', OPEN); console.log('plain', SECRET); console.error('json', JSON.stringify({ SECRET }));
        console.log(Buffer.from(SECRET).toString('base64')); console.log(KEY); setInterval(() => {}, 1000);`;
      const { owner } = await runtime.start(release(program, { env, secretKeys: ['SECRET', 'KEY'] }));
      await until('all is said', async () => expect(await lines(owner.deploymentId)).toHaveLength(6));
      const said = (await again().logs(owner.deploymentId, {})).map(({ line }) => line);
      expect(said.toSorted()).toEqual([
        '[hidden]',
        '[hidden]',
        '[hidden]=',
        'json {"SECRET":"[hidden]"}',
        'open not-a-secret-value',
        'plain [hidden]',
      ]);
    });

    it('measures resource usage', async () => {
      const { runtime, release } = await begin();
      const program =
        'globalThis.held = Buffer.alloc(40e6, 1); setInterval(() => { const end = Date.now() + 30; while (Date.now() < end); }, 60)';
      const { owner } = await runtime.start(release(program, { memoryBytes: 512 * 1024 * 1024 }));
      const usage = await until('it has its memory', async () => {
        const now = (await runtime.usage(owner.deploymentId))!;
        expect(now.memoryBytes).toBeGreaterThan(40e6);
        expect(now.cpuPercent).toBeGreaterThan(5);
        return now;
      });
      expect(usage.memoryBytes).toBeLessThan(300e6);
      expect(usage.cpuPercent).toBeLessThan(150);
      expect(usage.memoryLimitBytes).toBe(512 * 1024 * 1024);
      await runtime.stop(owner.deploymentId, 500);
      expect(await runtime.usage(owner.deploymentId)).toBeUndefined();
    });

    it('leaves nothing behind after removal', async () => {
      const { runtime, release } = await begin();
      const spec = release(polite, { owner: { fence: 9 } });
      const instance = await runtime.start(spec);
      await answers(instance);
      await runtime.remove(spec.owner.deploymentId);
      await silent(instance);
      expect(await runtime.find(spec.owner.deploymentId)).toBeUndefined();
      expect(await runtime.list()).toEqual([]);
      expect(await runtime.logs(spec.owner.deploymentId, {})).toEqual([]);
      await runtime.remove(spec.owner.deploymentId);
      expect((await runtime.start(release(polite, { owner: { fence: 1 } }))).owner.fence).toBe(1);
    });

    it('never lists or changes apps of another instance', async () => {
      const { runtime, release, stranger } = await begin();
      const other = stranger();
      const theirs = await other.start(
        release(server, { owner: { instanceId: 'ins_stranger' }, env: { ANSWER: 'theirs' } }),
      );
      const ours = await runtime.start(release(server, { env: { ANSWER: 'ours' } }));
      expect([await answers(theirs), await answers(ours)]).toEqual(['theirs', 'ours']);
      expect((await runtime.list()).map(({ owner }) => owner)).toEqual([ours.owner]);
      expect((await other.list()).map(({ owner }) => owner)).toEqual([theirs.owner]);
      await runtime.remove(ours.owner.deploymentId);
      expect(await runtime.find(theirs.owner.deploymentId)).toBeUndefined();
      expect(await answer(theirs)).toBe('theirs');
    });

    it('finds running apps again after a restart of the service', async () => {
      const { runtime, release, again } = await begin();
      const spec = release(server);
      const before = await runtime.start(spec);
      await answers(before);
      const successor = again();
      expect(await successor.find(spec.owner.deploymentId)).toEqual(before);
      expect(await successor.start(spec)).toEqual(before);
      await successor.stop(spec.owner.deploymentId, 500);
      expect(await successor.find(spec.owner.deploymentId)).toMatchObject({ state: 'exited', port: before.port });
      const after = await successor.start(spec);
      expect(await answers(after)).toBe('hello');
      expect(after.port).toBe(before.port);
    });
  });
}
