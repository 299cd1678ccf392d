import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BuildFailedError, BuildRefusedError, ImageTimeoutError } from './errors.ts';
import { contextFolder, type ImagesEngine, imagesRig } from './images-rig.ts';

/** Behavior of builds on any engine. */
export function buildContract(of: () => ImagesEngine): void {
  describe('builds', () => {
    const rig = () => imagesRig(of().client);

    it('build the folder with labels, arguments and file modes, and find the image again', async () => {
      const { build, images, lines, request } = rig();
      const files = {
        'app.sh': 'echo $GREETING',
        'a/b/c.txt': 'deep\n',
        'away -> /etc/passwd': 'x',
        out: '-> /etc/shadow',
        '.dockerignore': 'secret*\n!secret/wanted\nout2\n',
        'secret/no': 'x',
        'secret/wanted': 'y',
        [`${'long/'.repeat(30)}${'n'.repeat(120)}.txt`]: 'long name',
      };
      const built = await build(
        'FROM busybox AS base\nARG WHO\nENV GREETING="hello $WHO"\nFROM base AS app\nCOPY . /app\nRUN cat /app/a/b/c.txt; ls -l /app/app.sh\nFROM base\nRUN exit 1\n',
        { files, args: { WHO: 'you $(x)' }, target: 'app', labels: { 'com.example.team': 'a "b"' } },
      );
      expect(built).toEqual({
        image: expect.stringMatching(/^mooring\/prj_1:dep_/) as string,
        imageId: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
        bytes: expect.any(Number) as number,
      });
      expect(built.bytes).toBeGreaterThan(1_000_000);
      const titles = lines.filter((line) => /^\[.*\d\/\d\] /.test(line)).map((line) => line.replace(/^\[.*?\] /, ''));
      expect(titles.map((line) => line.split(' ')[0])).toEqual(expect.arrayContaining(['FROM', 'COPY', 'RUN']));
      expect(lines).toContain('deep');
      expect(lines.find((line) => line.endsWith('app.sh') && !line.startsWith('['))).toMatch(/^-rwxr-xr-x/);
      const script =
        'sh /app/app.sh; cat /app/a/b/c.txt; ls -1a /app /app/secret; readlink /app/out; find /app -name "nn*" | wc -l';
      const printed = await of().run(built.imageId, ['sh', '-c', script]);
      expect(printed).toContain('hello you $(x)\ndeep');
      expect(printed).toContain('/app/secret:\n.\n..\nwanted\n/etc/shadow\n1\n');
      expect(printed).not.toMatch(/mooring|Dockerfile/);

      const labels = (await of().get<{ Config: { Labels: object } }>(`/images/${built.imageId}/json`)).Config.Labels;
      expect(labels).toMatchObject({
        'mooring.instance': 'ins_ours',
        'mooring.service': 'app',
        'com.example.team': 'a "b"',
      });
      const [own] = (await images.list()).filter(({ imageId }) => imageId === built.imageId);
      expect(own).toMatchObject({ ...built, owner: { organizationId: 'org_1', projectId: 'prj_1' } });
      const inside = { ports: [], volumes: [], hasHealthcheck: false, command: ['sh'] };
      const found = { imageId: built.imageId, bytes: built.bytes, ...inside };
      expect(await images.find(built.imageId)).toEqual({ ...found, owner: own!.owner });
      expect(await images.findByName(built.image)).toEqual({ ...found, owner: own!.owner });
      expect(await of().containers()).toEqual([]);

      // A second build for the same deployment finds the image.
      const again = { ...request('FROM nothing'), owner: own!.owner };
      const run = { signal: AbortSignal.timeout(60_000), onLine: () => {}, deadlineMs: 1000 };
      expect(await images.build(again, run)).toEqual(built);
      expect(await images.remove(built.image)).toBe('removed');
      expect([await images.remove(built.image), await images.find(built.imageId)]).toEqual(['absent', undefined]);
    });

    it('reuse unchanged steps from the cache, even across deployments', async () => {
      const { build, lines } = rig();
      const dockerfile = 'FROM busybox\nCOPY a /a\nRUN cat /proc/sys/kernel/random/uuid > /u\n';
      const first = await build(dockerfile, { files: { a: '1' } });
      const second = await build(dockerfile, { files: { a: '1' } });
      expect(lines.filter((line) => line.endsWith(' (cached)')).length).toBeGreaterThanOrEqual(2);
      const third = await build(dockerfile, { files: { a: '2' } });
      const fresh = await build(dockerfile, { files: { a: '1' }, cache: false });
      const ids = await Promise.all(
        [first, second, third, fresh].map(({ imageId }) => of().run(imageId, ['cat', '/a', '/u'])),
      );
      expect(ids[0]).toBe(ids[1]);
      expect(new Set(ids).size).toBe(3);
      expect(first.imageId).not.toBe(second.imageId);
    });

    it('never reuse a cached file for a changed one of the same size and time', async () => {
      const { build } = rig();
      const context = contextFolder({ version: '1.0.1' });
      const same = new Date(1_000_000_000_000);
      const print = async () =>
        of().run((await build('FROM busybox\nCOPY . /', { context })).imageId, ['cat', '/version']);
      utimesSync(join(context, 'version'), same, same);
      expect(await print()).toBe('1.0.1');
      writeFileSync(join(context, 'version'), '1.0.2');
      utimesSync(join(context, 'version'), same, same);
      expect(await print()).toBe('1.0.2');
    });

    it('report which instruction failed and why', async () => {
      const { build, images, lines } = rig();
      const error = await build('FROM busybox\nRUN echo begin\nRUN echo one; echo two >&2; exit 7').catch(
        (e: unknown) => e,
      );
      expect(error).toBeInstanceOf(BuildFailedError);
      expect(error).toMatchObject({ instruction: 'RUN echo one; echo two >&2; exit 7', exitCode: 7, diskFull: false });
      expect((error as BuildFailedError).lastLines.toSorted()).toEqual(['one', 'two']);
      expect((error as Error).message).toMatch(/^RUN echo one.*exit code 7\)\n/);
      expect(lines).toContain('begin');
      expect(await images.list()).toEqual(expect.not.arrayContaining([expect.objectContaining({ bytes: 0 })]));
      for (const wrong of ['FROM busybox\nNONSENSE x', 'FROM busybox\nCOPY missing /'])
        await expect(build(wrong)).rejects.toThrow(BuildFailedError);
      expect(await of().containers()).toEqual([]);
    });

    it('read a Dockerfile inside the folder only', async () => {
      const { build } = rig();
      const files = {
        'docker/Dockerfile.prod': 'FROM busybox\nCOPY . /x\n',
        'docker/Dockerfile.prod.dockerignore': 'not-this',
        'not-this': '',
        this: '',
        link: '-> docker/Dockerfile.prod',
        outside: '-> /etc/hostname',
        'folder/': '',
      };
      const { imageId } = await build('', { files, dockerfile: { path: 'docker/Dockerfile.prod' } });
      expect((await of().run(imageId, ['ls', '/x'])).split(/\s+/)).toEqual(expect.arrayContaining(['this', 'docker']));
      expect(await of().run(imageId, ['ls', '/x'])).not.toContain('not-this');
      await build('', { files, dockerfile: { path: './link' } });
      for (const path of ['outside', '../x', '/etc/passwd', 'folder', 'none', '', 'a\0b', '$(id)'])
        await expect(build('', { files, dockerfile: { path } }), path).rejects.toThrow(BuildRefusedError);
    });

    it('end at their deadline', async () => {
      const began = Date.now();
      const built = rig().build('FROM busybox\nRUN sleep 60', {}, { deadlineMs: 1_500 });
      await expect(built).rejects.toThrow(new ImageTimeoutError('the build', 1_500));
      expect(Date.now() - began).toBeLessThan(12_000);
      expect(await of().containers()).toEqual([]);
    });
  });
}
