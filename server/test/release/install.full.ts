import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { selfSigned } from '../rig/certificate.ts';
import { newFolder } from '../rig/children.ts';
import { sayFigures } from '../rig/figures.ts';
import { has } from '../rig/parts.ts';
import { buildRelease, type Release } from '../rig/release.ts';
import { until } from '../rig/until.ts';
import { startSystemdMachine, type SystemdMachine } from '../rig/systemd-machine.ts';

const place = '/srv/release';

/** Creates the owner with the link that the installer printed, and reads a page and a route as that owner. */
const signIn = `
const [link] = process.argv.slice(2);
const { origin, hash } = new URL(link);
const send = (path, options) => fetch(origin + path, options);
const body = { code: hash.slice(6), email: 'ada@example.com', name: 'Ada', password: 'correct-horse-1', organizationName: 'Ada' };
const made = await send('/api/auth/setup', { method: 'POST', headers: { 'content-type': 'application/json', origin }, body: JSON.stringify(body) });
const { data } = await made.json();
const headers = { cookie: made.headers.getSetCookie().map((each) => each.split(';')[0]).join('; '), 'x-session-proof': data?.sessionProof ?? '' };
const me = await send('/api/me', { headers });
const page = await (await send('/', { headers })).text();
console.log(JSON.stringify({ made: made.status, me: me.status, page: page.includes('<div id="root">') }));
`;

describe.runIf(has('systemd'))('install.sh', () => {
  let release: Release;
  let machine: SystemdMachine;
  const install = (flags: string) => machine.sh(`sh ${place}/install.sh --bundle ${place}/${release.bundle} ${flags}`);
  const start = (options?: { suite: string }) => {
    machine = startSystemdMachine(options);
    const { folder, bundle, version } = release;
    machine.put(folder, ['install.sh', bundle, `mooring-${version}.sha256`, `mooring-${version}.sha256.sig`], place);
  };
  const node = '/opt/mooring/current/bin/node';
  const mainPid = async () => (await machine.ok('systemctl show --property=MainPID --value mooring')).trim();
  const occupyPort80 = async () => {
    const listen = 'use IO::Socket::INET; my $open = IO::Socket::INET->new(LocalPort => 80, Listen => 1); sleep 600';
    await machine.ok(`systemd-run --quiet perl -e '${listen}'; until ss -Hltn | grep -q ':80 '; do sleep 0.1; done`);
  };
  const signedIn = async (link: string) =>
    JSON.parse(await machine.ok(`${node} --use-system-ca --input-type=module - '${link}'`, signIn)) as object;
  const isAbsent = async () => (await machine.sh('ls /opt/mooring /etc/mooring /var/lib/mooring')).stdout === '';

  beforeAll(() => {
    release = buildRelease();
  }, 600_000);
  afterEach(() => machine?.close());

  it('installs to a signed-in page within two minutes, and again without a change', async () => {
    start();
    const began = Date.now();
    const first = await install('--runtime process --yes');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const link = /http:\S+\/setup#code=\S+/.exec(first.stdout)![0];
    expect(await signedIn(link)).toEqual({ made: 201, me: 200, page: true });
    expect(Date.now() - began).toBeLessThan(120_000);
    expect((await machine.ok('mooring --version')).trim()).toBe(`mooring ${release.version}`);

    await machine.ok("echo 'MOORING_SESSION_DAYS=7' >> /etc/mooring/mooring.env; systemctl restart mooring");
    const before = [await mainPid(), await machine.ok('cat /etc/mooring/mooring.env'), await files(machine)];
    const second = await install('--runtime process --domain mooring.example.com --yes');
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(second.stdout).not.toContain('setup#');
    // A new setting is added; the service restarts for it.
    const settings = await machine.ok('cat /etc/mooring/mooring.env');
    expect(settings.startsWith(before[1] as string)).toBe(true);
    expect(settings).toContain('MOORING_PUBLIC_URL=https://mooring.example.com');
    const pid = await mainPid();
    expect(await install('--domain other.example.com --yes')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('has MOORING_PUBLIC_URL=https://mooring.example.com, which stays'),
    });
    expect(await mainPid(), 'nothing changed').toBe(pid);
    expect(await files(machine)).toEqual(before[2]);
  }, 300_000);

  it('installs on Debian 13 too', async () => {
    start({ suite: 'trixie' });
    expect(await machine.ok('. /etc/os-release; echo $VERSION_ID')).toBe('13\n');
    const { code, stdout, stderr } = await install('--runtime docker --yes');
    expect([code, stderr], stdout).toEqual([0, '']);
    expect(stdout).not.toContain('another system');
    const link = /http:\S+\/setup#code=\S+/.exec(stdout)![0];
    expect(await signedIn(link)).toEqual({ made: 201, me: 200, page: true });
  }, 600_000);

  it.runIf(has('pebble'))(
    'installs to a signed-in page over HTTPS within two minutes',
    async () => {
      start();
      const name = 'mooring.example.com';
      await startPebble(machine);
      await machine.ok(
        `echo '127.0.0.1 ${name}' >> /etc/hosts
       mkdir /etc/mooring; cat > /etc/mooring/mooring.env`,
        `MOORING_ACME_DIRECTORY=https://127.0.0.1:14000/dir
MOORING_ACME_CA_FILE=/srv/pebble/cert.pem
MOORING_DNS_SERVERS=127.0.0.1:8053
`,
      );
      const began = Date.now();
      const { code, stdout, stderr } = await install(
        `--runtime process --yes --domain ${name} --email ada@example.com`,
      );
      expect([code, stderr], stdout).toEqual([0, '']);
      const link = new RegExp(`https://${name}/setup#code=\\S+`).exec(stdout)![0];
      expect(await signedIn(link)).toEqual({ made: 201, me: 200, page: true });
      const seconds = (Date.now() - began) / 1000;
      sayFigures('from install.sh to a signed-in page over HTTPS', { seconds });
      expect(seconds).toBeLessThan(120);
    },
    300_000,
  );

  it('asks for what it needs to know', async () => {
    start();
    await occupyPort80();
    await machine.ok('systemctl disable --quiet --now docker.service docker.socket; rm -f /run/docker.sock');
    const command = `sh ${place}/install.sh --bundle ${place}/${release.bundle}`;
    const refused = await machine.type(command, [
      ['Host name of the dashboard', ''],
      ['Use the ports 8080 and 8443', 'n'],
    ]);
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('Nothing was installed.') });
    expect(refused.stdout).not.toContain('E-mail');
    expect(await isAbsent()).toBe(true);
    const wrong = await machine.type(command, [['Host name of the dashboard', 'not a name']]);
    expect(wrong).toMatchObject({ code: 1, stdout: expect.stringContaining('not a name is not a host name') });
    const { code, stdout } = await machine.type(command, [
      ['Host name of the dashboard', 'mooring.example.com'],
      ['E-mail address', 'ada@example.com'],
      ['Public address of its router', '203.0.113.7'],
      ['Use the ports 8080 and 8443', 'y'],
      ['Install Docker', 'y'],
    ]);
    expect(code, stdout).toBe(0);
    expect((await machine.ok('cat /etc/mooring/mooring.env')).split('\n')).toEqual(
      expect.arrayContaining([
        'MOORING_PUBLIC_URL=https://mooring.example.com',
        'MOORING_ACME_EMAIL=ada@example.com',
        'MOORING_PUBLIC_ADDRESSES=203.0.113.7',
        'MOORING_EDGE_PORT=8080',
        'MOORING_EDGE_TLS_PORT=8443',
        'MOORING_RUNTIME=docker',
      ]),
    );
    expect(stdout).toContain('root@203.0.113.7');
    expect(await machine.type(command, []), 'the second run asks nothing').toMatchObject({ code: 0 });
  }, 300_000);

  it('without Docker runs apps as processes', async () => {
    start();
    await machine.ok('systemctl disable --quiet --now docker.service docker.socket; rm -f /run/docker.sock');
    const { code, stdout } = await machine.type(`sh ${place}/install.sh --bundle ${place}/${release.bundle}`, [
      ['Host name of the dashboard', ''],
      ['Install Docker', 'n'],
    ]);
    expect(code, stdout).toBe(0);
    expect(await machine.ok('cat /etc/mooring/mooring.env')).toContain('MOORING_RUNTIME=process\n');
  }, 300_000);

  it('leaves nothing behind if the disk fills while it unpacks', async () => {
    start();
    await machine.ok('mount -t tmpfs -o size=310m tmpfs /opt');
    const filling = machine.sh(
      'until ls -d /opt/mooring/.install-*/mooring-*; do sleep 0.02; done; dd if=/dev/zero of=/opt/filling bs=1M',
    );
    expect(await install('--runtime process --yes')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/No space left[^]*the bundle cannot be (copied|unpacked) to \/opt\/mooring/),
    });
    await filling;
    expect(await machine.ok('ls -A /opt')).toBe('filling\n');
    expect((await machine.sh('ls /etc/mooring /var/lib/mooring /usr/local/bin/mooring')).stdout).toBe('');
    await machine.ok('rm /opt/filling');
    expect(await install('--runtime process --yes')).toMatchObject({ code: 0 });
  }, 300_000);

  it('names the program on port 80, and installs behind it', async () => {
    start();
    await occupyPort80();
    const refused = await install('--runtime process --yes');
    expect(refused).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/Port 80 is taken by perl \(process \d+\)/),
    });
    expect(refused.stderr).toContain('--http-port 8080 --https-port 8443');
    expect(await isAbsent()).toBe(true);
    const behind = await install('--runtime process --yes --http-port 8080 --https-port 8443 --domain m.example.com');
    expect(behind).toMatchObject({ code: 0, stdout: expect.stringContaining('reverse_proxy 127.0.0.1:8080') });
    await until('the edge listens', async () => (await machine.ok('ss -Hltn')).includes('127.0.0.1:8080'));
  }, 300_000);

  it('refuses what was not signed, or is damaged', async () => {
    start();
    const sums = `${place}/mooring-${release.version}.sha256`;
    await machine.ok(`cp ${sums} /srv/sums; sed -i '1s/^./x/' ${sums}`);
    expect(await install('--yes')).toMatchObject({ code: 1, stderr: expect.stringContaining('signature') });
    await machine.ok(`cp /srv/sums ${sums}; printf x >> ${place}/${release.bundle}`);
    expect(await install('--yes')).toMatchObject({ code: 1, stderr: expect.stringContaining('checksum') });
    expect(await isAbsent()).toBe(true);
  }, 300_000);

  it('needs space, root, systemd and all of itself', async () => {
    start();
    await machine.ok('mount -t tmpfs -o size=100m tmpfs /opt');
    expect(await install('--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\/opt has \d+ MB free; Mooring needs 300 MB\n {2}Nothing was installed\./),
    });
    await machine.ok('umount /opt');
    const script = `${place}/install.sh`;
    expect(await machine.sh(`setpriv --reuid=65534 sh ${script}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('run it with sudo'),
    });
    expect(await machine.sh(`unshare --mount sh -c 'mount -t tmpfs none /run/systemd; sh ${script}'`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('systemd does not run on this machine'),
    });
    for (const part of [2, 4, 1.1])
      expect(
        await machine.sh(
          `head -c ${Math.floor(readFileSync(join(release.folder, 'install.sh')).length / part)} ${script} | sh`,
        ),
      ).toMatchObject({ stdout: '' });
    expect(await isAbsent()).toBe(true);
  }, 300_000);

  it('continues after it was killed, and repairs a damaged program', async () => {
    start();
    await machine.ok(
      `sh ${place}/install.sh --bundle ${place}/${release.bundle} --runtime process --yes & pid=$!
       until ls -d /opt/mooring/.install-*/mooring-*; do sleep 0.02; done; kill -KILL $pid`,
    );
    expect((await machine.sh('test -e /opt/mooring/current')).code).toBe(1);
    expect(await install('--runtime process --yes')).toMatchObject({ code: 0 });
    const before = await files(machine);
    expect((await machine.ok('ls -A /opt/mooring')).split('\n').toSorted()).toEqual(['', release.version, 'current']);
    await machine.ok(': > /opt/mooring/current/server/dist/main.js; systemctl kill --kill-who=main mooring');
    expect(await install('--yes'), 'a damaged program').toMatchObject({
      code: 0,
      stdout: expect.stringContaining('differs from the bundle; replacing it'),
    });
    expect(await files(machine)).toEqual(before);
  }, 300_000);
});

/** Starts a certificate authority on loopback of the machine, whose root the machine trusts. Every name resolves to
 * 127.0.0.1 there. */
async function startPebble(machine: SystemdMachine): Promise<void> {
  const folder = newFolder('pebble');
  const { key, cert } = selfSigned('127.0.0.1');
  const pebble = {
    listenAddress: '127.0.0.1:14000',
    managementListenAddress: '127.0.0.1:15000',
    certificate: '/srv/pebble/cert.pem',
    privateKey: '/srv/pebble/key.pem',
    httpPort: 80,
    tlsPort: 443,
  };
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ pebble }));
  machine.put(folder, ['cert.pem', 'key.pem', 'settings.json'], '/srv/pebble');
  machine.put('/usr/bin', ['pebble', 'pebble-challtestsrv'], '/srv/pebble');
  await machine.ok(
    `systemd-run --quiet /srv/pebble/pebble-challtestsrv -http01 '' -https01 '' -tlsalpn01 '' -dns01 127.0.0.1:8053 \
       -management 127.0.0.1:8055 -defaultIPv6 ''
     systemd-run --quiet /srv/pebble/pebble -config /srv/pebble/settings.json -strict -dnsserver 127.0.0.1:8053
     until curl -skf https://127.0.0.1:15000/roots/0 > /usr/local/share/ca-certificates/pebble.crt; do sleep 0.1; done
     update-ca-certificates`,
  );
}

/** Every file that Mooring or its installer could have changed. */
const files = (machine: SystemdMachine) =>
  machine.ok('find /opt /etc /usr/local /var/lib -xdev ! -path "/var/lib/mooring/*" -printf "%p %M %u\\n" | sort');
