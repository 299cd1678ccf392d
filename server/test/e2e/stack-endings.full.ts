import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureProject, folderOf } from '../rig/deploy.ts';
import { node } from '../rig/docker-images.ts';
import { containersOf } from '../rig/engine-things.ts';
import { startStackStage, statuses } from '../rig/stack-stage.ts';

type Rig = Awaited<ReturnType<typeof startStackStage>>;

const needsSeconds = 13;
const slow = `require('http').createServer((_, answer) => answer.end('x')).listen(3000);
process.on('SIGTERM', () => setTimeout(() => process.exit(0), ${needsSeconds * 1000}))`;

/** An API that is replaced start-first and a database that is not: both need longer than usual to stop, and log it. */
const source = (note: string, job: string) => {
  const own = {
    image: node.name,
    command: ['node', '-e', slow],
    environment: { NOTE: note },
    stop_grace_period: '25s',
  };
  return folderOf({
    'compose.yaml': JSON.stringify({
      services: {
        db: { ...own, volumes: ['data:/data'] },
        api: { ...own, ports: ['3000'] },
        job: { image: node.name, command: ['node', '-e', job] },
      },
      volumes: { data: null },
    }),
  });
};
const staysUp = 'setInterval(() => {}, 1000)';

describe('stopping services', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startStackStage();
  }, 120_000);
  afterAll(() => rig.close());

  /** Exit codes of a deployment's stopped containers, by service. */
  async function exitsOf(deploymentId: string): Promise<Record<string, number>> {
    const all = await containersOf(rig.docker);
    const stopped = all.filter(
      ({ Labels, State }) => Labels?.['mooring.deployment'] === deploymentId && State === 'exited',
    );
    const exits = await Promise.all(
      stopped.map(async ({ Id, Labels }) => {
        const path = `/containers/${Id}/json`;
        const { State } = await rig.docker.client.json<{ State: { ExitCode: number } }>({ method: 'GET', path });
        return [Labels!['mooring.service']!, State.ExitCode] as const;
      }),
    );
    return Object.fromEntries(exits);
  }

  it('grants the stop grace period of their file, on replacement and on rollback', async () => {
    const project = await ensureProject(rig.service(), 'slow');
    const one = await rig.deployed(project, source('1', staysUp));
    const two = await rig.deployed(project, source('2', staysUp));
    expect(two.status).toBe('ready');
    await sleep((needsSeconds + 8) * 1000);
    expect(await exitsOf(one.id)).toEqual({ api: 0, db: 0 });
    const half = await rig.deployed(project, source('3', 'process.exit(1)'));
    expect(half.status).toBe('partial_failure');
    const since = Math.floor(Date.now() / 1000);
    expect((await rig.done(half.id, 'reject')).status).toBe('rejected');
    await sleep((needsSeconds + 8) * 1000);
    expect((await died(rig, since, half.id)).toSorted()).toEqual(['api 0', 'db 0']);
  }, 240_000);

  it('reports a service without a health check that crashes a moment later as failed', async () => {
    const project = await ensureProject(rig.service(), 'late');
    const job = { image: node.name, command: ['node', '-e', 'setTimeout(() => process.exit(1), 900)'] };
    const web = { image: node.name, command: ['node', '-e', slow], ports: ['3000'] };
    const deployed = await rig.deployed(
      project,
      folderOf({ 'compose.yaml': JSON.stringify({ services: { web, job } }) }),
    );
    expect([deployed.status, deployed.decision]).toEqual(['partial_failure', 'pending']);
    expect(statuses(deployed)).toMatchObject({ web: 'ready', job: 'failed' });
  }, 120_000);
});

/** Containers of one deployment that have ended since, from the engine's events: they are already removed. */
async function died(rig: Rig, since: number, deploymentId: string): Promise<string[]> {
  const query = {
    since: String(since),
    until: String(Math.floor(Date.now() / 1000)),
    filters: JSON.stringify({ type: ['container'], event: ['die'], label: [`mooring.deployment=${deploymentId}`] }),
  };
  const stream = await rig.docker.client.open({ method: 'GET', path: '/events', query });
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  const all = text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { Actor: { Attributes: Record<string, string> } }).Actor.Attributes)
    .filter((attributes) => attributes['mooring.service'] !== 'job');
  return all.map((attributes) => `${attributes['mooring.service']} ${attributes['exitCode']}`);
}
