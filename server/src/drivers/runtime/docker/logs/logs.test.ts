import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { exited, spawnRecorded } from '../../../../../test/rig/children.ts';
import { has } from '../../../../../test/rig/parts.ts';
import { until } from '../../../../../test/rig/until.ts';
import { type DockerRig, dockerRig, type RuntimeEngine, startRuntimeEngine } from '../docker-rig.ts';
import type { DockerRuntime, DockerRuntimeOptions } from '../options.ts';

const idle = 'setInterval(() => {}, 1000);';

/** Counts on both streams as fast as possible, then prints "done". */
const counting = (count: number) => `
  const { writeSync } = require('node:fs');
  let n = 0;
  const timer = setInterval(() => {
    for (let i = 0; i < 8 && n < ${count}; i++) { n++; writeSync(1, 'out ' + n + '\\n'); writeSync(2, 'err ' + n + '\\n'); }
    if (n === ${count}) { clearInterval(timer); writeSync(1, 'done\\n'); }
  }, 5); ${idle}`;

/** A service that only records, until it is killed. */
const recording = ({ address, folder, instanceId, portRange }: DockerRig['options']) => `
  const { createDockerRuntime } = await import(${JSON.stringify(join(import.meta.dirname, '../docker-runtime.ts'))});
  const { engineAt } = await import(${JSON.stringify(join(import.meta.dirname, '../engine/client.ts'))});
  const options = ${JSON.stringify({ folder, instanceId, portRange })};
  createDockerRuntime({ ...options, connect: engineAt(${JSON.stringify(address)}) }).watch();
  console.log('recording');`;

describe.runIf(has('docker'))('output of containers', () => {
  let engine: RuntimeEngine;
  let rig: DockerRig;
  beforeAll(async () => {
    engine = await startRuntimeEngine();
  });
  afterAll(() => engine?.close());
  afterEach(() => rig.close());
  const begin = (more: Partial<DockerRuntimeOptions> = {}) => (rig = dockerRig(engine, more));
  const linesOf = async (runtime: DockerRuntime) => (await runtime.logs('dep_1', {})).map(({ line }) => line);
  const numbers = (lines: string[], name: string) =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => Number(line.slice(4)));

  it('loses and repeats no line, however often the service is stopped or killed', async () => {
    const count = 4900;
    const { runtime, again, release, options } = begin();
    await runtime.start(release(counting(count)));
    await runtime.close();
    for (let lives = 0; lives < 6; lives++) {
      const service = spawnRecorded(process.execPath, ['--input-type=module', '-e', recording(options)], {
        stdio: 'pipe',
      });
      await new Promise((resolve) => service.stdout!.once('data', resolve));
      await sleep(100 + Math.random() * 200);
      service.kill('SIGKILL');
      await exited(service);
      const gentle = again();
      gentle.watch();
      await sleep(100 + Math.random() * 100);
      await gentle.close();
    }
    const last = again();
    const lines = await until('all is recorded', async () => {
      const read = await linesOf(last);
      return read.includes('done') ? read : undefined!;
    });
    const all = Array.from({ length: count }, (_, i) => i + 1);
    expect(numbers(lines, 'out')).toEqual(all);
    expect(numbers(lines, 'err')).toEqual(all);
  });

  it('is read later if nobody recorded it, even when the app has exited', async () => {
    const { runtime, again, release } = begin();
    const { id } = await runtime.start(release(`setTimeout(() => console.log('late'), 400); ${idle}`));
    await runtime.close();
    const log = () => engine.client.open({ method: 'GET', path: `/containers/${id}/logs`, query: { stdout: true } });
    await until('it is said', async () => (await text(await log())).includes('late'));
    await engine.post(`/containers/${id}/stop?t=0`);
    const successor = again();
    successor.watch();
    await until('it is there', async () => (await linesOf(successor)).includes('late'));
    await engine.client.json({ method: 'DELETE', path: `/containers/${id}` });
    expect(await linesOf(successor)).toEqual(['late']);
    await successor.remove('dep_1');
    expect(await linesOf(successor)).toEqual([]);
  });

  it('handles long lines, progress bars, invalid bytes and a missing line feed', async () => {
    const { runtime, release } = begin();
    const program = `const say = (bytes) => require('node:fs').writeSync(1, bytes);
      say('x'.repeat(40000) + '\\n'); say('10%\\r50%\\r100%\\n'); say('\\n'); say(Buffer.from([0xff, 0xfe, 0x0a]));
      say('é💥'.repeat(2000) + '\\n'); say('no end');`;
    await runtime.start(release(`${program} setTimeout(() => process.exit(0), 300)`));
    const lines = await until('it has ended once', async () => {
      const read = await rig.lines();
      return read.includes('no end') ? read : undefined!;
    });
    await runtime.stop('dep_1', 500);
    expect(lines.slice(0, 6)).toEqual([
      `${'x'.repeat(16 * 1024)} [line cut]`,
      '100%',
      '',
      '\ufffd\ufffd',
      'é💥'.repeat(2000),
      'no end',
    ]);
  });

  it('is kept in bounded files', async () => {
    const { runtime, release, options } = begin({ limits: { logFileBytes: 40_000, logFiles: 3 } });
    await runtime.start(release(counting(3000)));
    await until('all is recorded', async () => (await rig.lines()).includes('done'));
    // Recording reads the end again; lines already dropped from our files must not come back.
    await runtime.stop('dep_1', 500);
    await sleep(300);
    const files = readdirSync(options.folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\d+\.log$/.test(name),
    );
    expect(files).toHaveLength(3);
    const out = numbers(await rig.lines(), 'out');
    expect(out).toEqual(out.map((_, i) => 3000 - out.length + 1 + i));
    expect(out.length).toBeLessThan(1500);
  });
});
