import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exited, newFolder, spawnRecorded } from '../../../test/rig/children.ts';
import { endProcesses, processes, programOf } from '../../../test/rig/processes.ts';
import { until } from '../../../test/rig/until.ts';
import { EngineAwayError } from '../runtime/errors.ts';
import { mostOutputBytes } from './build/build-output.ts';
import { ImageTimeoutError } from './errors.ts';
import { contextFolder, type ImagesEngine, imagesRig, newDeployment, testImageOwner } from './images-rig.ts';

/** Starts a build, prints so, and never finishes. */
const endless = 'FROM busybox\nRUN echo made > /made\nRUN echo started; sleep 1234';

/** A service process that builds until it is killed. */
const service = (address: string, request: object) => `
  const { createDockerImages } = await import(${JSON.stringify(join(import.meta.dirname, 'docker-images.ts'))});
  const { EngineClient, engineAt } = await import(${JSON.stringify(join(import.meta.dirname, '../runtime/docker/engine/client.ts'))});
  const images = createDockerImages({ engine: new EngineClient(engineAt(${JSON.stringify(address)})), instanceId: 'ins_ours',
    folder: ${JSON.stringify(newFolder('images'))}, report: console.error });
  await images.build(${JSON.stringify(request)}, { signal: new AbortController().signal, deadlineMs: 60_000, onLine: (line) => console.log(line) });`;

/** Behavior of builds under faults, on any engine. */
export function troubleContract(of: () => ImagesEngine): void {
  const cgroupOf = (pid: number) => {
    try {
      return readFileSync(`/proc/${pid}/cgroup`, 'utf8');
    } catch {
      return '';
    }
  };
  /** Processes of builds on this engine, whoever started them. */
  const running = (program: string) =>
    processes().filter((pid) => programOf(pid) === program && cgroupOf(pid).includes(`/${of().namespace.name}`));
  const nothingLeft = async () => {
    await until('the steps have ended', () => !running('sleep').length, 10_000);
    await until('no container is left', async () => !(await of().containers()).length, 10_000);
  };

  describe('interrupted builds', () => {
    it('end within seconds when canceled, without affecting others', async () => {
      const { build, images, lines } = imagesRig(of().client);
      const other = imagesRig(of().client);
      const goesOn = other.build('FROM busybox\nRUN sleep 2; echo through', { cache: false });
      const cancel = new AbortController();
      const owner = { deploymentId: newDeployment() };
      const ended = expect(build(endless, { owner }, { signal: cancel.signal })).rejects.toThrow('not wanted any more');
      await until('it has begun', () => lines.includes('started') && running('sleep').length === 2);
      const began = Date.now();
      cancel.abort(new Error('not wanted any more'));
      await ended;
      expect(Date.now() - began).toBeLessThan(5_000);
      await goesOn;
      expect(other.lines).toContain('through');
      await nothingLeft();
      expect((await images.list()).filter((image) => image.owner.deploymentId === owner.deploymentId)).toEqual([]);
      await expect(build(endless, {}, { signal: cancel.signal })).rejects.toThrow('not wanted any more');
    });

    it('leave nothing running after the service was killed, and can be repeated', async () => {
      const { build, images } = imagesRig(of().client);
      const owner = testImageOwner(newDeployment());
      const request = { owner, context: contextFolder({}), dockerfile: { text: endless } };
      const child = spawnRecorded(process.execPath, ['--input-type=module', '-e', service(of().address, request)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let printed = '';
      child.stdout!.on('data', (chunk: Buffer) => (printed += chunk.toString()));
      await until('it has begun', () => printed.includes('started\n') && running('sleep').length);
      child.kill('SIGKILL');
      await exited(child);
      await nothingLeft();
      await images.endBuild(owner);
      const { image } = await build('FROM busybox\nRUN echo made > /made\nRUN echo again', { owner });
      expect(await images.remove(image)).toBe('removed');
    });

    it('can be ended by a successor while the old service still runs', async () => {
      const client = of().connect();
      const { build, lines } = imagesRig(client);
      const owner = testImageOwner(newDeployment());
      const first = expect(build(endless, { owner })).rejects.toThrow(/does not respond|was killed/);
      await until('it has begun', () => lines.includes('started') && running('sleep').length);
      await imagesRig(of().client).images.endBuild(owner);
      await first;
      await nothingLeft();
    });

    it('differ from failed builds when the engine dies, and are cleaned up', async () => {
      const { build, images, lines } = imagesRig(of().client);
      const owner = testImageOwner(newDeployment());
      const cut = expect(build(endless, { owner })).rejects.toThrow(EngineAwayError);
      await until('it has begun', () => lines.includes('started') && running('sleep').length);
      await of().stop('SIGKILL');
      await cut;
      await expect(build(endless, { owner })).rejects.toThrow(EngineAwayError);
      await of().start();
      await images.endBuild(owner);
      // BuildKit's steps are not containers, and a killed engine forgets them: they keep running.
      endProcesses(running('sleep'));
      await nothingLeft();
      await build('FROM busybox\nRUN echo made > /made\nRUN echo again', { owner });
    });

    it('are bounded in output and memory when they print endlessly', async () => {
      let bytes = 0;
      const last: string[] = [];
      const onLine = (line: string) => {
        bytes += line.length + 1;
        last.push(line);
        if (last.length > 3) last.shift();
      };
      const { build } = imagesRig(of().client);
      const before = process.memoryUsage().rss;
      const endlessly = build(
        'FROM busybox\nRUN yes "$(head -c 3000 /dev/zero | tr "\\0" x)"',
        {},
        { onLine, deadlineMs: 2_500 },
      );
      await expect(endlessly).rejects.toThrow(ImageTimeoutError);
      expect(bytes).toBeGreaterThan(100_000);
      expect(bytes).toBeLessThan(mostOutputBytes + 100_000);
      expect(process.memoryUsage().rss - before).toBeLessThan(150e6);
      await until('it has ended', () => !running('yes').length, 10_000);
    });
  });
}
