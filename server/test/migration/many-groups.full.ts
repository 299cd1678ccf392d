import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { composeLabels, type ScanRig, newStackFolder, startScanRig } from '../../src/areas/migration/migration-rig.ts';
import { sayFigures } from '../rig/figures.ts';
import { has } from '../rig/parts.ts';

const many = 300;

describe.runIf(has('docker') && has('sshd'))('a machine with very many stacks', () => {
  let harbour: ScanRig;
  beforeAll(async () => {
    harbour = await startScanRig();
  });
  afterAll(() => harbour?.close());

  it('is scanned in one request, even while containers come and go, and adoption is bounded', async () => {
    const folder = newStackFolder();
    for (let i = 0; i < many; i++) {
      const file = join(folder, `${i}.yml`);
      writeFileSync(file, 'services:\n  web:\n    image: busybox:latest\n');
      const paths = { 'project.config_files': file, 'project.working_dir': folder };
      await harbour.create(`many-${i}`, { Labels: composeLabels(`stack${i}`, 'web', paths) });
    }
    const began = performance.now();
    const stack = await harbour.stack();
    sayFigures('scan of 300 stacks with a compose file each, in ms', { took: Math.round(performance.now() - began) });
    expect([stack.groups.length, stack.adoptable]).toEqual([many, many]);
    expect(stack.groups.every(({ composeFiles }) => composeFiles[0]?.found && composeFiles[0].matches)).toBe(true);
    const over = new AbortController();
    const coming = (async () => {
      for (let i = 0; !over.signal.aborted; i++) {
        const id = await harbour.create(`passing-${i}`);
        await harbour.docker.client.json({ method: 'DELETE', path: `/containers/${id}` });
      }
    })();
    for (let times = 0; times < 5; times++) expect((await harbour.scan()).status).toBe(200);
    over.abort();
    await coming;
    const names = stack.services.map(({ name }) => name);
    const tooMany = await harbour.adopt({ projectName: 'all', serviceNames: names });
    expect([tooMany.status, tooMany.text]).toEqual([400, expect.stringContaining('serviceNames')]);
    const most = await harbour.adopt({ projectName: 'all', serviceNames: names.slice(0, 200) });
    expect([most.status, most.body['error']]).toEqual([200, undefined]);
  }, 240_000);
});
