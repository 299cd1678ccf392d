import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, askAllTheTime, deploy, ensureProject, folderOf, json, nodeApp } from '../rig/deploy.ts';
import { operators, placeOf } from '../rig/operators.ts';
import type { Service } from '../rig/service.ts';
import { until } from '../rig/until.ts';

/** Takes another app's port whenever it is free, and reports what it received there. */
const attacker = (port: number) =>
  folderOf({
    'package.json': JSON.stringify({ name: 'attacker', scripts: { start: 'node server.js' } }),
    'server.js': `
      let [bound, stolen] = [0, ''];
      require('node:http')
        .createServer((request, response) => response.end(JSON.stringify({ bound, stolen })))
        .listen(process.env.PORT, process.env.HOST);
      const thief = require('node:net').createServer((socket) => {
        socket.on('error', () => {}).on('data', (bytes) => {
          stolen += bytes;
          socket.end('HTTP/1.1 200 OK\\r\\nContent-Length: 8\\r\\n\\r\\nattacker');
        });
      });
      thief.on('listening', () => { bound++; setTimeout(() => thief.close(), 400); });
      thief.on('error', () => setImmediate(listen)).on('close', () => setTimeout(listen, 3000));
      const listen = () => thief.listen(${port}, '127.0.0.1');
      listen();`,
  });

describe.runIf(process.getuid?.() === 0).each(operators)('ports of apps of a service that %s runs', (who) => {
  let service: Service;
  const place = placeOf(who);
  beforeAll(async () => void (service = await place.start()));
  afterAll(() => service.stop());

  const records = () => {
    const folder = join(place.dataDir, 'processes/instances');
    type Record = { port: number; owner: { deploymentId: string }; app: { pid: number }; supervisor: { pid: number } };
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('state.json'))
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record);
  };

  it('are never taken over during restarts, crashes, and kills of supervisor and service', async () => {
    const victim = await deploy(service, await ensureProject(service, 'victim'), nodeApp('victim'));
    expect(victim.error).toBeNull();
    const record = () => records().find(({ owner }) => owner.deploymentId === victim.id)!;
    const thief = await deploy(service, await ensureProject(service, 'attacker'), attacker(record().port));
    expect(thief.error).toBeNull();
    const visitors = askAllTheTime(victim.urls[0]!);
    const isBack = () =>
      until('the victim answers', async () => (await ask(victim.urls[0]!)).body === 'victim', 60_000);
    for (let round = 0; round < 3; round++) {
      await service.post(`/api/deployments/${victim.id}/restart`, {});
      await isBack();
      process.kill(record().app.pid, 'SIGKILL');
      await sleep(1000);
      await isBack();
    }
    const before = record();
    process.kill(before.supervisor.pid, 'SIGKILL');
    await until('it has another supervisor', () => record().supervisor.pid !== before.supervisor.pid, 60_000);
    await isBack();
    await service.stop('SIGKILL');
    process.kill(record().app.pid, 'SIGKILL');
    await sleep(1000);
    service = await place.start();
    await isBack();
    const answers = await visitors.stop();
    expect([...answers.keys()].filter((each) => each.includes('attacker'))).toEqual([]);
    const { bound, stolen } = JSON.parse((await ask(thief.urls[0]!)).body) as { bound: number; stolen: string };
    expect(stolen).toBe('');
    expect(bound, 'it had the port').toBeGreaterThan(0);
    const { data } = await json<{ data: { status: string } }>(service.get(`/api/deployments/${victim.id}`));
    expect(data.status).toBe('ready');
  }, 240_000);
});
