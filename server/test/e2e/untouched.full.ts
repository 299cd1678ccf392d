import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { ask, deploy, ended, ensureProject, json, nodeApp } from '../rig/deploy.ts';
import { ownerToken } from '../rig/app.ts';
import { sayFigures } from '../rig/figures.ts';
import { processesOf } from '../rig/inside.ts';
import { type Service, startService } from '../rig/service.ts';
import { untouchedMachine } from '../rig/untouched.ts';

const mayMount = process.getuid?.() === 0 && process.platform === 'linux';

async function live(service: Service): Promise<void> {
  const projectId = await ensureProject(service, 'tidy', { releaseCommand: 'echo migrated' });
  const build = "node -e \"require('node:fs').writeFileSync('built', String(1))\" && npm --version";
  const first = await deploy(service, projectId, nodeApp('v1', '', { build }));
  expect(first.error).toBeNull();
  const second = await deploy(service, projectId, nodeApp('v2', '', { build }));
  expect((await ask(second.urls[0]!)).body).toBe('v2');
  const { deployment_id: back } = await json<{ deployment_id: string }>(
    service.post(`/api/deployments/${first.id}/rollback`, {}),
  );
  expect((await ended(service, back)).error).toBeNull();
  const headers = { authorization: `Bearer ${ownerToken}` };
  await json(fetch(`${service.url}/api/deployments/${second.id}`, { method: 'DELETE', headers }));
  await json(service.post(`/api/deployments/${back}/restart`, {}));
  expect((await deploy(service, projectId, nodeApp('bad', '', { build: 'exit 1' }))).status).toBe('failed');
}

it.runIf(mayMount)(
  'deployments change nothing outside the data folder',
  async () => {
    const dataDir = newFolder('data');
    const machine = untouchedMachine([dataDir]);
    const service = await startService({ dataDir, under: machine.under, env: { MOORING_LOG_LEVEL: 'warn' } });
    await live(service);
    const seen = machine.changes();
    sayFigures('changed outside', seen);
    expect(seen).toEqual([]);
    await service.stop();
    // From here, the apps run in the overlay's data folder, not in the real one.
    for (const { pid } of processesOf(dataDir)) process.kill(pid, 'SIGKILL');
  },
  120_000,
);

it.runIf(mayMount)('a change outside the data folder would be detected', async () => {
  const machine = untouchedMachine([]);
  const [file, ...args] = [...machine.under, '/bin/sh', '-c', 'echo x > /etc/not-there; rm /etc/hostname'];
  execFileSync(file!, args);
  expect(machine.changes().toSorted()).toEqual(['etc', 'etc/hostname', 'etc/not-there']);
});
