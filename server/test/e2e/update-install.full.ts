import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeBundle, newReleaseKey } from '../rig/bundles.ts';
import { newFolder } from '../rig/children.ts';
import { json } from '../rig/deploy.ts';
import { startUpdateMachine, type UpdateMachine } from '../rig/update-machine.ts';
import { until } from '../rig/until.ts';

const isRoot = process.getuid?.() === 0;

// Crashing versions, load and killed updaters are in update.full.ts.
describe.runIf(isRoot)('an update', () => {
  const key = newReleaseKey();
  const releases = newFolder('releases');
  const site = createServer((request, response) => {
    const file = join(releases, request.url!.split('/').at(-1)!);
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  let machine: UpdateMachine;
  beforeAll(async () => {
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const updateUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/releases`;
    machine = await startUpdateMachine({ version: '0.3.0', key, updateUrl });
  });
  afterAll(async () => {
    await machine?.close();
    site.close();
  });

  it('is refused with a signature of another key, and the service keeps running', async () => {
    makeBundle(releases, '0.4.0', key, { signedWith: newReleaseKey() });
    const { pid } = machine.service.child;
    const { code, output } = await machine.mooring('update');
    expect([code, output]).toEqual([1, expect.stringContaining('the signature of mooring-0.4.0.sha256 is wrong')]);
    expect([machine.current(), machine.service.child.pid]).toEqual(['0.3.0', pid]);
  });

  it('to a build without a tag is not called newer, and needs its name', async () => {
    writeFileSync(join(releases, 'latest.json'), '{"version":"0.3.0-3f2a9c1d"}');
    const text = '0.3.0-3f2a9c1d and the installed 0.3.0 have no order, because one of them was built without a tag';
    expect(await machine.mooring('update', '--check')).toMatchObject({
      code: 0,
      output: expect.stringContaining(text),
    });
    expect(await machine.mooring('update')).toMatchObject({ code: 1, output: expect.stringContaining(text) });
    const { output } = await machine.mooring('update', '--to', 'v0.3');
    expect(output).toContain('--to: 0.3 is not a version such as 1.2.3 or 1.2.3-rc.1');
  });

  it('by the command line installs the latest version, and says how long the API was away', async () => {
    makeBundle(releases, '0.4.0', key);
    const check = await machine.mooring('update', '--check', '--json');
    expect(JSON.parse(check.output)).toMatchObject({ version: '0.3.0', latestVersion: '0.4.0', isNewer: true });
    expect((await machine.mooring('update', '--check')).output).toMatch(
      /\nChanges: http\S+\/releases\/CHANGELOG\.md\n$/,
    );
    const { code, output } = await machine.mooring('update');
    expect(output).toMatch(/Mooring was updated from 0\.3\.0 to 0\.4\.0\. The API was away for \d+\.\d s\./);
    expect(code).toBe(0);
    expect(machine.current()).toBe('0.4.0');
    expect(await json(machine.service.get('/api/health'))).toMatchObject({ version: '0.4.0' });
    expect(readdirSync(join(machine.state, 'snapshots'))).toHaveLength(1);
    expect(existsSync(join(machine.state, 'journal.json'))).toBe(false);
  });

  it('by the dashboard is requested, followed and shown', async () => {
    makeBundle(releases, '0.5.0', key);
    await json(machine.service.post('/api/instance/update', { version: '0.5.0' }));
    expect(existsSync(join(machine.dataDir, 'update-request.json'))).toBe(true);
    machine.startUpdater();
    type Overview = { data: { version: string; update: { state: string; steps: { phase: string }[] } } };
    const overview = await until('the update is shown', async () => {
      const { data } = await json<Overview>(machine.service.get('/api/instance/update'));
      return data.update.state === 'updated' && data.version === '0.5.0' && data;
    });
    expect(overview).toMatchObject({ version: '0.5.0', update: { from: '0.4.0', to: '0.5.0' } });
    expect(existsSync(join(machine.dataDir, 'update-request.json'))).toBe(false);
    expect(machine.current()).toBe('0.5.0');
  });

  it('goes back by itself if the new version crashes, and prints why', async () => {
    const bundle = makeBundle(releases, '0.6.0', key, { defect: 'crash' });
    const { code, output } = await machine.mooring('update', '--bundle', bundle);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(
        /went back to 0\.5\.0, because 0\.6\.0 crashed 3 times while it started: TypeError: the configuration of the/,
      ),
    ]);
    expect(await json(machine.service.get('/api/health'))).toMatchObject({ version: '0.5.0' });
  });

  it('is left to the owner of the checkout without install.sh', async () => {
    writeFileSync(join(machine.versions, '0.5.0', 'VERSION'), 'something else');
    expect(await machine.mooring('update')).toMatchObject({
      code: 1,
      output: expect.stringContaining('was not installed with install.sh'),
    });
  });
});
