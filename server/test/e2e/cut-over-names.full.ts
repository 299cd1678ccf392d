import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composeLabels } from '../../src/areas/migration/migration-rig.ts';
import { type Body, type Quay, startQuay } from '../rig/cut-over.ts';
import { has } from '../rig/parts.ts';
import { until } from '../rig/until.ts';

const api = `
const server = require('node:http').createServer((request, response) => response.end(require('node:os').hostname()));
server.listen(8080);
process.on('SIGTERM', () => server.close(() => process.exit(0)));`;

/** Calls the other service by name continuously, and becomes healthy only after some seconds. */
const front = `
const ask = async () => {
  try {
    const answer = await fetch('http://api:8080/', { headers: { connection: 'close' }, signal: AbortSignal.timeout(2000) });
    console.log('answer ' + (await answer.text()));
  } catch (error) { console.log('failed ' + (error.cause?.message ?? error.message)); }
  setTimeout(ask, 20);
};
ask();
require('node:fs').rmSync('/tmp/healthy', { force: true });
setTimeout(() => require('node:fs').writeFileSync('/tmp/healthy', ''), 3000);
process.on('SIGTERM', () => process.exit(0));`;

describe.runIf(has('docker') && has('sshd'))('services that call each other by name', () => {
  let quay: Quay;
  beforeAll(async () => {
    quay = await startQuay();
  });
  afterAll(() => quay?.close());

  const run = (network: string, service: string, program: string, more: Body = {}, dependsOn = '') =>
    quay.run(`${network}-${service}`, {
      Cmd: ['node', '-e', program],
      Labels: composeLabels(network, service, { depends_on: dependsOn }),
      HostConfig: { NetworkMode: network, RestartPolicy: { Name: 'always' } },
      NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: [service] } } },
      ...more,
    });
  const linesOf = async (id: string) => {
    const query = { stdout: true, stderr: true };
    const stream = await quay.server.docker.client.open({ method: 'GET', path: `/containers/${id}/logs`, query });
    return Buffer.concat(await stream.toArray())
      .toString()
      .match(/(answer \w+|failed .*)/g)!;
  };
  const networksOf = async (id: string) => {
    const path = `/containers/${id}/json`;
    type Info = { NetworkSettings: { Networks: Record<string, unknown> } };
    const { NetworkSettings } = await quay.server.docker.client.json<Info>({ method: 'GET', path });
    return Object.keys(NetworkSettings.Networks);
  };
  /** Returns the containers that responded, and the failures since the first response. */
  const seen = (lines: string[]) => {
    const since = lines.slice(lines.findIndex((line) => line.startsWith('answer')));
    const answers = since.filter((line) => line.startsWith('answer')).map((line) => line.slice('answer '.length));
    return { who: new Set(answers), failed: since.filter((line) => line.startsWith('failed')) };
  };
  const unknownName = /ENOTFOUND|EAI_AGAIN/;

  // The engine orders networks by name: one of them is before ours, the other one after.
  it.each(['aaa-yard', 'yard'])(
    'find each other on %s while they are replaced, and while they are restored',
    async (yard) => {
      await quay.server.docker.client.json({ method: 'POST', path: '/networks/create', body: { Name: yard } });
      const Healthcheck = {
        Test: ['CMD', 'node', '-e', "require('fs').statSync('/tmp/healthy')"],
        Interval: 5e8,
        Retries: 20,
      };
      const apiBefore = await run(yard, 'api', api);
      const webBefore = await run(yard, 'web', front, { Healthcheck }, 'api:service_healthy:false');
      const project = await quay.adopt(yard, [`${yard}/web`, `${yard}/api`]);
      expect(await quay.deployed(project)).toMatchObject({ status: 'ready', error: null });
      const ours = await quay.ours(project);
      const there = seen(await linesOf(webBefore));
      expect(there).toEqual({ who: new Set([apiBefore.slice(0, 12), ours['api']!.slice(0, 12)]), failed: [] });
      for (const id of Object.values(ours)) expect(await networksOf(id)).not.toContain(yard);

      let lines: string[] = [];
      const undone = quay.undone(project);
      await until('ours is gone', async () => {
        const now = await linesOf(ours['web']!).catch(() => undefined);
        lines = now ?? lines;
        return now === undefined;
      });
      expect(await undone).toMatchObject({ warnings: [] });
      const back = seen(lines);
      // A container that has just started may need a moment, but its name resolves.
      expect([back.who.has(apiBefore.slice(0, 12)), back.failed.filter((line) => unknownName.test(line))]).toEqual([
        true,
        [],
      ]);
      expect(seen((await linesOf(webBefore)).slice(-5))).toEqual({
        who: new Set([apiBefore.slice(0, 12)]),
        failed: [],
      });
    },
  );
});
