import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signBundle } from '../rig/bundles.ts';
import { newFolder } from '../rig/children.ts';
import { has } from '../rig/parts.ts';
import { buildRelease, type Release, releaseKey } from '../rig/release.ts';
import { startSystemdMachine, type SystemdMachine } from '../rig/systemd-machine.ts';
import { until } from '../rig/until.ts';

const place = '/srv/release';

/** Repacks a release under another version, and changes its service. */
function repack({ folder, bundle, version }: Release, key: string, to: string, before = ''): Release {
  const [work, out] = [newFolder('repack'), newFolder('release')];
  execFileSync('tar', ['-C', work, '-xzf', join(folder, bundle)]);
  const top = join(work, `mooring-${to}`);
  renameSync(join(work, `mooring-${version}`), top);
  writeFileSync(join(top, 'VERSION'), `${to}\n`);
  for (const part of ['server/package.json', 'cli/package.json']) {
    const manifest = JSON.parse(readFileSync(join(top, part), 'utf8')) as object;
    writeFileSync(join(top, part), JSON.stringify({ ...manifest, version: to }));
  }
  const main = join(top, 'server/dist/main.js');
  writeFileSync(main, before + readFileSync(main, 'utf8'));
  const name = `mooring-${to}-linux-x64.tar.gz`;
  execFileSync('tar', ['-C', work, '--use-compress-program=gzip -1', '-cf', join(out, name), `mooring-${to}`]);
  signBundle(out, to, name, { privateKey: readFileSync(key, 'utf8'), publicKey: '' });
  writeFileSync(join(out, 'latest.json'), JSON.stringify({ version: to }));
  return { folder: out, version: to, bundle: name };
}

describe.runIf(has('systemd'))('mooring update on a machine with systemd', () => {
  const key = releaseKey();
  let first: Release;
  let machine: SystemdMachine;
  const put = ({ folder, bundle, version }: Release, ...more: string[]) =>
    machine.put(folder, [bundle, `mooring-${version}.sha256`, `mooring-${version}.sha256.sig`, ...more], place);
  const next = (version: string, before?: string) => {
    const release = repack(first, key, version, before);
    put(release, 'latest.json');
    return `${place}/${release.bundle}`;
  };
  const health = async () =>
    (JSON.parse(await machine.ok('curl -sf http://127.0.0.1:4600/api/health')) as { version: string }).version;
  const settled = () =>
    until(
      'no update is left',
      async () => (await machine.sh('test ! -e /var/lib/mooring-update/journal.json')).code === 0,
      120_000,
    );
  const expectWhole = async (version: string) => {
    expect((await machine.ok('readlink /opt/mooring/current')).trim()).toBe(version);
    expect(await health()).toBe(version);
    expect((await machine.ok('mooring --version')).trim()).toBe(`mooring ${version}`);
  };

  beforeAll(async () => {
    first = buildRelease({ key });
    machine = startSystemdMachine();
    put(first, 'install.sh');
    await machine.ok(`sh ${place}/install.sh --bundle ${place}/${first.bundle} --runtime process --yes`);
  }, 600_000);
  afterAll(() => machine?.close());

  it('installs a bundle, and the API is away for less than 3 s', async () => {
    const { code, stdout, stderr } = await machine.sh(`mooring update --bundle ${next('9.0.0')}`);
    expect([code, stdout], stderr).toEqual([0, expect.stringContaining('to 9.0.0. The API was away for')]);
    const status = JSON.parse(await machine.ok('cat /var/lib/mooring-update/status.json')) as { awayMs: number };
    expect(status.awayMs).toBeLessThan(3000);
    await expectWhole('9.0.0');
  }, 300_000);

  it('goes back from a version that crashes', async () => {
    const bundle = next('9.1.0', "throw new TypeError('this version is broken');\n");
    const { code, stderr } = await machine.sh(`mooring update --bundle ${bundle}`);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/went back to 9\.0\.0, because .* this version is broken/),
    ]);
    await expectWhole('9.0.0');
  }, 300_000);

  it('goes back from a version that hangs', async () => {
    const bundle = next('9.1.0', 'process.on("SIGTERM", () => {}); for (;;);\n');
    const { code, stderr } = await machine.sh(`mooring update --bundle ${bundle}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining('9.1.0 did not answer /api/health within 30 s')]);
    await expectWhole('9.0.0');
  }, 300_000);

  it.each(['unpack', 'check'])(
    'continues after the updater was killed in %s',
    async (phase) => {
      const version = phase === 'unpack' ? '9.2.0' : '9.3.0';
      const update = machine.sh(`mooring update --bundle ${next(version)}`);
      await machine.ok(
        `until grep -q '"phase":"${phase}"' /var/lib/mooring-update/journal.json; do sleep 0.02; done
       systemctl kill --signal=KILL mooring-update`,
      );
      expect(await update).toMatchObject({ code: 0 });
      await expectWhole(version);
    },
    300_000,
  );

  it.each(['unpack', 'start'])(
    'continues after a reboot in %s',
    async (phase) => {
      const version = phase === 'unpack' ? '9.4.0' : '9.5.0';
      const update = machine.sh(`mooring update --bundle ${next(version)}`);
      await machine.ok(`until grep -q '"phase":"${phase}"' /var/lib/mooring-update/journal.json; do sleep 0.02; done`);
      machine.reboot();
      await update;
      await settled();
      await expectWhole(version);
    },
    300_000,
  );

  it('starts by a request of the service', async () => {
    next('9.6.0');
    await machine.ok(
      `systemd-run --quiet --unit=releases /opt/mooring/current/bin/node -e 'require("http").createServer((q, r) => require("fs").createReadStream("${place}" + q.url).on("error", () => r.destroy()).pipe(r)).listen(8000)'
       echo MOORING_UPDATE_URL=http://127.0.0.1:8000 >> /etc/mooring/mooring.env
       systemctl restart mooring
       mooring update --check`,
    );
    await machine.ok(`printf '{"version":"9.6.0"}' > /var/lib/mooring/update-request.json`);
    await until('9.6.0 runs', async () => (await health()) === '9.6.0', 120_000);
    await settled();
    await expectWhole('9.6.0');
    expect((await machine.sh('ls /var/lib/mooring/update-request.json')).code).not.toBe(0);
    expect((await machine.ok('systemctl --failed --no-legend')).trim()).toBe('');
  }, 300_000);
});
