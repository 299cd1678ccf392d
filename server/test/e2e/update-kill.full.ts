import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBundle, newReleaseKey } from '../rig/bundles.ts';
import { newFolder } from '../rig/children.ts';
import { ensureProject, json } from '../rig/deploy.ts';
import { startUpdateMachine, type UpdateMachine } from '../rig/update-machine.ts';

const key = newReleaseKey();
const releases = newFolder('releases');

describe.runIf(process.getuid?.() === 0)('an updater killed with SIGKILL', () => {
  let machine: UpdateMachine;
  beforeAll(async () => {
    machine = await startUpdateMachine({ version: '0.100.0', key });
  });
  afterAll(() => machine?.close());

  /** One version runs whole: the link, the units, the process, the database and the API agree. */
  const expectWhole = async (version: string) => {
    expect(machine.current()).toBe(version);
    expect(readFileSync(join(machine.units, 'mooring.service'), 'utf8')).toContain(`# ${version}\n`);
    expect(await json(machine.service.get('/api/health'))).toMatchObject({ version });
    const { data } = await json<{ data: { name: string }[] }>(machine.service.get('/api/projects'));
    return data.map(({ name }) => name);
  };

  const phases = ['verify', 'unpack', 'stop', 'snapshot', 'switch', 'start', 'check', 'clean', 'end'];
  const kills = phases.flatMap((phase) => [0, 25].map((afterMs) => ({ phase, afterMs })));
  it.each(kills)('in $phase after $afterMs ms leaves a whole version, and is continued', async (kill) => {
    const from = machine.current();
    const to = from.replace(/\d+/g, (number, at) => (at === 2 ? String(Number(number) + 1) : number));
    const bundle = makeBundle(releases, to, key);
    await ensureProject(machine.service, `before ${to}`);
    const before = await expectWhole(from);
    const runs = machine.updaterRuns();
    machine.killUpdater(kill);
    const { code, output } = await machine.mooring('update', '--bundle', bundle);
    expect(code, output).toBe(0);
    await machine.settled();
    if (!kill.afterMs) expect(machine.updaterRuns() - runs, 'it was killed').toBe(2);
    expect(await expectWhole(to)).toEqual(before);
  });

  it.each([0, 25, 150])('while it goes back, after %i ms, leaves the old version with all data', async (afterMs) => {
    const from = machine.current();
    const bundle = makeBundle(releases, '9.9.9', key, { defect: 'migration' });
    await ensureProject(machine.service, `before going back ${afterMs}`);
    const before = await expectWhole(from);
    machine.killUpdater({ phase: 'go_back', afterMs });
    expect(await machine.mooring('update', '--bundle', bundle)).toMatchObject({ code: 1 });
    expect(await machine.settled()).toMatchObject({ state: 'went_back' });
    expect(await expectWhole(from)).toEqual(before);
  });
});
