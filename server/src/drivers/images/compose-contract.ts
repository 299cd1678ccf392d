import { describe, expect, it } from 'vitest';
import { BuildFailedError, BuildRefusedError } from './errors.ts';
import { type ImagesEngine, imagesRig } from './images-rig.ts';
import type { BuildRequest } from './images.ts';

/** Requirements of builds of compose files, on any engine. */
export function composeContract(of: () => ImagesEngine): void {
  describe('builds of compose files', () => {
    const rig = () => imagesRig(of().client);

    it('pass arguments with a value and leave the others to the Dockerfile', async () => {
      const { build, lines } = rig();
      const dockerfile = 'FROM busybox\nARG A\nARG B=own\nARG C\nRUN echo "[$A] [$B] [${C-unset}]"';
      await build(dockerfile, { args: { A: 'given', B: null, C: null }, cache: false });
      expect(lines).toContain('[given] [own] [unset]');
    });

    it('resolve extra hosts', async () => {
      const { build, lines } = rig();
      const extraHosts = [
        { host: 'db.example', address: '192.0.2.7' },
        { host: 'six.example', address: '2001:db8::7' },
        { host: 'machine.example', address: 'host-gateway' },
      ];
      await build('FROM busybox\nRUN cat /etc/hosts', { extraHosts, cache: false });
      const hosts = lines.map((line) => line.trim().split(/\s+/).join(' '));
      expect(hosts).toEqual(expect.arrayContaining(['192.0.2.7 db.example', '2001:db8::7 six.example']));
      expect(hosts.find((line) => line.endsWith(' machine.example'))).toMatch(/^\d+\.\d+\.\d+\.\d+ /);
    });

    it('can run without a network', async () => {
      const { build, lines } = rig();
      await build('FROM busybox\nRUN ls /sys/class/net | xargs', { cache: false });
      expect(lines).toContain('eth0 lo');
      await build('FROM busybox\nRUN ls /sys/class/net | xargs', { cache: false, network: 'none' });
      expect(lines).toContain('lo');
    });

    it('get the requested size of /dev/shm from Docker 23 on', async () => {
      const { build, lines } = rig();
      await build('FROM busybox\nRUN df -k /dev/shm | tail -n 1', { cache: false, shmBytes: 16 * 2 ** 20 });
      const [, size] = lines.find((line) => line.endsWith(' /dev/shm'))!.split(/\s+/);
      expect(['16384', '65536']).toContain(size);
    });

    it('target the platform of the engine under any of its names', async () => {
      const { build, images } = rig();
      const own = await images.platform();
      expect(own).toMatch(/^linux\/(arm64|amd64)$/);
      const others = own === 'linux/arm64' ? ['linux/arm64/v8', 'aarch64'] : ['linux/amd64', 'x86_64'];
      for (const platform of [own, ...others]) await build('FROM busybox', { platform });
      for (const platform of ['linux/s390x', 'windows/amd64', 'linux', '', 'constructor'])
        await expect(build('FROM busybox', { platform }), platform).rejects.toThrow(`the engine is ${own}`);
    });

    it('report volumes, exposed ports and the health check of the image', async () => {
      const { build, images } = rig();
      const said = 'FROM busybox\nVOLUME ["/b", "/a"]\nEXPOSE 90/udp 8080 80/tcp\nHEALTHCHECK CMD true';
      const { imageId, image } = await build(said);
      const known = { ports: [80, 8080], volumes: ['/a', '/b'], hasHealthcheck: true };
      expect(await images.find(imageId)).toMatchObject(known);
      expect(await images.findByName(image)).toMatchObject({ ...known, imageId });
      const { imageId: without } = await build(`FROM ${image}\nHEALTHCHECK NONE`);
      expect(await images.find(without)).toMatchObject({ ...known, hasHealthcheck: false });
      expect(await images.findByName('busybox')).toMatchObject({
        volumes: [],
        hasHealthcheck: false,
        owner: undefined,
      });
      for (const name of ['nothing/of:this-name', 'a b', '../x', ''])
        expect(await images.findByName(name)).toBeUndefined();
    });

    it("apply the caller's ignore list unless the source has its own", async () => {
      const { build } = rig();
      const files = { a: '1', b: '2' };
      const seen = async (more: Partial<BuildRequest> & { files: Record<string, string> }) => {
        const { imageId } = await build('FROM busybox\nCOPY . /x', more as never);
        return (await of().run(imageId, ['ls', '/x'])).split(/\s+/).filter(Boolean);
      };
      expect(await seen({ files, ignore: 'b' })).toEqual(['a']);
      expect(await seen({ files: { ...files, '.dockerignore': 'a' }, ignore: 'b' })).toEqual(['b']);
      expect(await seen({ files: { ...files, '.dockerignore': 'a' }, ignore: 'a', ownIgnore: 'b' })).toEqual(['a']);
    });

    it('reject invalid hosts, networks and sizes', async () => {
      const { build } = rig();
      const strange: Partial<BuildRequest>[] = [
        { extraHosts: [{ host: 'a b', address: '192.0.2.7' }] },
        { extraHosts: [{ host: 'a:192.0.2.8', address: '192.0.2.7' }] },
        { extraHosts: [{ host: 'a', address: 'example.com' }] },
        { extraHosts: [{ host: 'a', address: '' }] },
        { extraHosts: Array.from({ length: 101 }, () => ({ host: 'a', address: '192.0.2.7' })) },
        { network: 'host' as 'none' },
        { network: 'container:x' as 'none' },
        { shmBytes: -1 },
        { shmBytes: 1.5 },
      ];
      for (const { owner: _, ...change } of strange)
        await expect(build('FROM busybox', change), JSON.stringify(change)).rejects.toThrow(BuildRefusedError);
    });

    it('fail as a build when an extra host is unreachable without a network', async () => {
      const request = { network: 'none', extraHosts: [{ host: 'db.example', address: '192.0.2.7' }] } as const;
      const built = rig().build('FROM busybox\nRUN nc -w 1 db.example 80', {
        ...request,
        extraHosts: [...request.extraHosts],
      });
      await expect(built).rejects.toThrow(BuildFailedError);
    });
  });
}
