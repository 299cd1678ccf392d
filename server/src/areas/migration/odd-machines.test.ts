import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { has } from '../../../test/rig/parts.ts';
import { composeLabels, type ScanRig, newStackFolder, startScanRig } from './migration-rig.ts';

describe.runIf(has('docker') && has('sshd'))('machine with unusual contents', () => {
  let harbour: ScanRig;
  beforeAll(async () => {
    harbour = await startScanRig();
  });
  afterEach(() => harbour.empty());
  afterAll(() => harbour?.close());

  it('may use any names', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'a/b', '../..', 'ünïcode 🚢', ' ', '-', 'A', 'a'];
    for (const [i, name] of names.entries())
      await harbour.create(`odd-${i}`, {
        Labels: { ...composeLabels(name, name), __proto__: 'x', constructor: 'y', [`['__proto__']`]: 'z' },
        Env: ['__proto__=1', 'constructor=2'],
      });
    const { services, adoptable } = await harbour.stack();
    expect([services.length, adoptable]).toEqual([names.length, names.length]);
    const serviceNames = services.map(({ name }) => name);
    const answer = await harbour.adopt({ projectName: 'odd', serviceNames });
    expect([answer.status, answer.body['error']]).toEqual([200, undefined]);
    expect((answer.body as unknown as { adopted: string[] }).adopted).toEqual(serviceNames);
    const { originals } = await harbour.app.database.db
      .selectFrom('adoptions')
      .select('originals')
      .executeTakeFirstOrThrow();
    expect(originals.match(/"containerId"/g)).toHaveLength(names.length);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('may have ambiguous names, which cannot be adopted', async () => {
    await harbour.create('one', { Labels: composeLabels('a/b', 'c') });
    await harbour.create('two', { Labels: composeLabels('a', 'b/c') });
    const { warnings, services } = await harbour.stack();
    expect(services.map(({ name }) => name)).toEqual(['a/b/c', 'a/b/c']);
    expect(warnings).toEqual([expect.stringContaining('several services a/b/c')]);
    const answer = await harbour.adopt({ projectName: 'x', serviceNames: ['a/b/c'] });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('may be any of')]);
    // The service name alone is unique.
    const exact = await harbour.adopt({ projectName: 'x', serviceNames: ['b/c'] });
    expect(exact.status).toBe(200);
  });

  it('is not blocked by invalid compose files', async () => {
    const folder = newStackFolder();
    const at = (name: string) => join(folder, name);
    execFileSync('mkfifo', [at('pipe.yml')]);
    symlinkSync('loop.yml', at('loop.yml'));
    symlinkSync('/dev/zero', at('device.yml'));
    writeFileSync(at('binary.yml'), Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7) % 256)));
    const levels = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(10)}]\n`);
    writeFileSync(at('bomb.yml'), `a0: &a0 x\n${levels.join('')}services: {web: {image: x, command: *a12}}\n`);
    writeFileSync(at('deep.yml'), `services: ${'['.repeat(50_000)}`);
    writeFileSync(at('.env'), `API_TOKEN=do-not-tell-${'x'.repeat(80)}\n`);
    writeFileSync(at('secret.yml'), 'services: {web: {image: x, ports: ["${API_TOKEN}:80"]}}\n');
    const names = ['pipe', 'loop', 'device', 'binary', 'bomb', 'deep', 'secret'];
    for (const name of names)
      await harbour.create(name, {
        Labels: composeLabels(name, 'web', {
          'project.config_files': at(`${name}.yml`),
          'project.working_dir': folder,
        }),
      });
    const began = performance.now();
    const { status, text } = await harbour.scan();
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(status).toBe(200);
    expect(text).not.toContain('do-not-tell');
    expect(text).toContain('they contain what looks like a secret');
    const { groups, adoptable } = await harbour.stack();
    expect(adoptable).toBe(names.length);
    for (const { composeFiles, project } of groups)
      expect([project, composeFiles[0]]).toEqual([project, expect.objectContaining({ matches: false })]);
  });
});
