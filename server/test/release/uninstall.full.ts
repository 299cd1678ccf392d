import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { newFolder } from '../rig/children.ts';
import { has } from '../rig/parts.ts';
import { buildRelease, type Release } from '../rig/release.ts';
import { startSystemdMachine, type SystemdMachine } from '../rig/systemd-machine.ts';
import { until } from '../rig/until.ts';

const place = '/srv/release';

/** Everything that the installer and Mooring could leave on a machine. Packages of the system update some caches. */
const inventory = `
find / -xdev \\( -path /srv -o -path /tmp -o -path /run -o -path /var/log -o -path /var/cache -o -path /var/lib/systemd \\) -prune \
  -o -printf '%p %M %u %g\\n' | grep -v '^/etc/[a-z]*- ' | sort
cat /etc/passwd /etc/group
systemctl list-unit-files --no-legend --no-pager
iptables-save | grep -v '^[#:]'
ip -o link | grep -v veth | cut -d ' ' -f 2
docker ps -aq; docker volume ls -q; docker network ls -q | sort; docker images -q
ps -e -o args= | grep '[o]pt/mooring'
true
`;

const compose = `services:
  web:
    image: busybox:1
    command: ["/bin/busybox", "sh", "-c", "echo hello > /data/index.html; exec httpd -f -p 8080 -h /data"]
    ports: ["8080"]
    volumes: ["data:/data"]
volumes:
  data: {}
`;

describe.runIf(has('systemd'))('mooring uninstall', () => {
  let release: Release;
  let machine: SystemdMachine;
  const install = (flags: string) =>
    machine.ok(`sh ${place}/install.sh --bundle ${place}/${release.bundle} --yes ${flags}`);
  const deploy = async (folder: string) => {
    const account = `MOORING_URL=http://127.0.0.1:4600 MOORING_TOKEN=${ownerToken}`;
    const said = await machine.ok(`cd ${folder} && rm -f mooring.json && env ${account} mooring deploy . --yes --json`);
    return new URL(/http:\/\/[a-z0-9.-]+localhost/.exec(said)![0]).hostname;
  };
  const page = (name: string) => machine.ok(`curl -sf -H 'Host: ${name}' http://127.0.0.1/`);

  beforeAll(async () => {
    release = buildRelease();
    machine = startSystemdMachine();
    const { folder, bundle, version } = release;
    machine.put(folder, ['install.sh', bundle, `mooring-${version}.sha256`, `mooring-${version}.sha256.sig`], place);
    const image = newFolder('image');
    mkdirSync(join(image, 'bin'));
    cpSync('/usr/bin/busybox', join(image, 'bin/busybox'));
    for (const name of ['sh', 'httpd']) symlinkSync('busybox', join(image, 'bin', name));
    machine.put(image, ['bin'], '/srv/image');
    await machine.ok('tar -C /srv/image -c . | docker import - busybox:1');
    await machine.ok(`mkdir -p /srv/stack && cat > /srv/stack/compose.yaml`, compose);
    await machine.ok(
      'mkdir -p /srv/node && cat > /srv/node/server.js',
      "require('http').createServer((q, a) => a.end('process')).listen(process.env.PORT, process.env.HOST);",
    );
  }, 600_000);
  afterAll(() => machine?.close());

  /** An owner with a token, from the first start. */
  const withOwner = () =>
    machine.ok(`mkdir -p /etc/mooring && echo MOORING_ADMIN_TOKEN=${ownerToken} > /etc/mooring/mooring.env`);

  it('with Docker: apps survive a restart of the service, and nothing is left after the removal', async () => {
    const before = await machine.ok(inventory);
    await withOwner();
    await install('--runtime docker');
    expect(await machine.ok('ps -o user= -p $(systemctl show --property=MainPID --value mooring)')).toBe('mooring\n');
    const name = await deploy('/srv/stack');
    await until('the app responds', async () => (await page(name)) === 'hello\n');
    await machine.ok('systemctl restart mooring');
    expect(await page(name)).toBe('hello\n');
    await machine.ok('mooring key rotate && mooring reset-password admin@localhost');
    expect(await machine.ok('systemctl stop mooring; mooring stop')).toContain('Stopped the edge, 1 app.');
    await machine.ok('systemctl start mooring');
    await until('the app responds again', async () => (await page(name)) === 'hello\n');
    expect(await machine.ok('find /var/lib/mooring -user root'), 'files that the service cannot read').toBe('');
    expect(await machine.sh('mooring uninstall')).toMatchObject({ code: 1, stderr: expect.stringContaining('--yes') });
    expect(await machine.ok('cd /opt/mooring/current && mooring uninstall --yes')).toMatch(
      /^Removed Mooring \S+, 1 container, 2 networks, 1 volume\.\nWhat stays:\n- packages/,
    );
    expect(await machine.ok(inventory)).toBe(before);
  }, 300_000);

  it('with processes: nothing is left after the removal', async () => {
    const before = await machine.ok(inventory);
    await withOwner();
    await install('--runtime process');
    const name = await deploy('/srv/node');
    await until('the app responds', async () => (await page(name)) === 'process');
    await machine.ok('systemctl restart mooring');
    expect(await page(name)).toBe('process');
    await machine.ok('mooring uninstall --yes');
    expect(await machine.ok(inventory)).toBe(before);
  }, 300_000);

  it('keeps data and containers if told to, and an installation continues with them', async () => {
    await withOwner();
    await install('--runtime docker');
    const name = await deploy('/srv/stack');
    await until('the app responds', async () => (await page(name)) === 'hello\n');
    const said = await machine.ok('mooring uninstall --yes --keep-data --keep-apps');
    expect(said).toContain('- the data in /var/lib/mooring and the settings in /etc/mooring');
    expect((await machine.ok('docker ps -q')).split('\n')).toHaveLength(2);
    expect(await machine.ok('ls /opt; ss -Hltn "sport = :80"')).toBe('');
    await install('--runtime docker');
    await until('the app responds again', async () => (await page(name)) === 'hello\n');
    await machine.ok('mooring uninstall --yes');
  }, 300_000);

  it('goes on if the database is away, a backup still writes, and the data folder is a mount point', async () => {
    const before = await machine.ok(inventory);
    await withOwner();
    await machine.ok('mkdir -p /var/lib/mooring && mount -t tmpfs tmpfs /var/lib/mooring');
    await install('--runtime docker');
    const name = await deploy('/srv/stack');
    await until('the app responds', async () => (await page(name)) === 'hello\n');
    await machine.ok('echo DATABASE_URL=postgres://ada:secret@127.0.0.1:1/mooring >> /etc/mooring/mooring.env');
    await machine.ok(
      `cat > /srv/writer.sh
       setsid sh -c 'echo $$ > /sys/fs/cgroup/system.slice/mooring.service/cgroup.procs
         exec setpriv --reuid=mooring --regid=mooring --clear-groups sh /srv/writer.sh' </dev/null >/dev/null 2>&1 &`,
      'while :; do mkdir -p /var/lib/mooring/backups/more && mktemp -p /var/lib/mooring/backups/more; done',
    );
    const said = await machine.ok('mooring uninstall --yes');
    expect(said).toMatch(/^Removed Mooring \S+, 1 container, 2 networks, 1 volume\.\n/);
    expect(said).toContain('- the empty folder /var/lib/mooring, because a disk is mounted there\n');
    expect(said).toMatch(/- the PostgreSQL database of DATABASE_URL, which cannot be read: .*ECONNREFUSED/);
    expect(said).not.toContain('secret');
    expect(await machine.ok('ls -A /var/lib/mooring')).toBe('');
    await machine.ok('umount /var/lib/mooring && rmdir /var/lib/mooring');
    expect(await machine.ok(inventory)).toBe(before);
  }, 300_000);

  it('removes the rest without Docker, and says what is left there', async () => {
    await withOwner();
    await install('--runtime docker');
    await deploy('/srv/stack');
    await machine.ok('systemctl stop docker.socket docker.service');
    const { code, stdout } = await machine.sh('mooring uninstall --yes');
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/Removed Mooring [^]*\nNot removed:\n- apps: .*Start Docker/),
    ]);
    const [, filter] = /docker ps --all (--filter label=mooring\.instance=\S+),/.exec(stdout)!;
    expect((await machine.sh('ls -d /opt/mooring /etc/mooring /var/lib/mooring /usr/local/bin/mooring')).stdout).toBe(
      '',
    );
    await machine.ok('systemctl start docker');
    await machine.ok(`docker rm --force $(docker ps --all --quiet ${filter})`);
    await machine.ok(`docker network rm $(docker network ls --quiet ${filter})`);
    await machine.ok(`docker volume rm $(docker volume ls --quiet ${filter})`);
  }, 300_000);
});
