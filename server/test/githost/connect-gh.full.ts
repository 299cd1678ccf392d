import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountsOf, connect, connectFlowOf, get, owner, statusOf } from '../../src/areas/githost/githost-rig.ts';
import { createGitHub } from '../../src/drivers/githost/github/github.ts';
import { startApp, type TestApp } from '../rig/app.ts';
import { newFolder } from '../rig/children.ts';
import { memoryDrivers } from '../rig/drivers.ts';
import { startTlsFront, type TlsFront } from '../rig/githost-tls.ts';
import { type GitHostRig, startGitHost } from '../rig/githost.ts';
import { has } from '../rig/parts.ts';

const hostname = '127.0.47.2';

describe.runIf(has('gh'))('connecting through gh', () => {
  let host: GitHostRig;
  let front: TlsFront;
  let app: TestApp;
  let file: string;
  const folder = newFolder('gh');
  beforeAll(async () => {
    host = await startGitHost();
    front = await startTlsFront(host.webUrl, hostname);
    file = join(folder, 'gh');
    writeFileSync(file, `#!/bin/sh\nSSL_CERT_FILE='${front.caFile}' exec /usr/bin/gh "$@"\n`);
    chmodSync(file, 0o755);
    const cli = { file, home: folder, path: '/usr/bin:/bin', configDir: folder };
    const ca = readFileSync(front.caFile, 'utf8');
    const gitHost = createGitHub({ webUrl: front.webUrl, reach: 'private', ca, cli });
    app = await startApp('sqlite', { drivers: { ...memoryDrivers(), gitHost } });
  });
  afterAll(async () => {
    await app?.close();
    front?.stop();
    await host?.stop();
  });

  it('first prints the command to run, and works after a login', async () => {
    expect((await get(app, '/local-status')).body).toMatchObject({ available: false, installed: true, hostname });
    const { flow, command } = connectFlowOf(await connect(app, owner));
    expect([flow, command]).toEqual(['terminal', expect.stringContaining(`auth login --hostname ${hostname}`)]);
    const env = { PATH: '/usr/bin:/bin', HOME: folder, GH_CONFIG_DIR: folder };
    const signIn = promisify(execFile)(file, ['auth', 'login', '--hostname', hostname, '--with-token'], { env });
    signIn.child.stdin!.end('gho_octo_0123456789abcdef');
    await signIn;
    expect((await get(app, '/local-status')).body).toMatchObject({ available: true, signedIn: true });
    expect((await connect(app, owner)).body).toEqual({ connected: true });
    expect(accountsOf(await statusOf(app))).toEqual(['octo cli', 'team cli']);
  });

  it("ends for us with a disconnect, and stays for the machine's owner", async () => {
    await app.call('POST', '/api/githost/disconnect', { ...owner, body: { source: 'cli' } });
    expect((await statusOf(app)).state).toBe('disconnected');
    expect((await get(app, '/local-status')).body).toMatchObject({ available: true });
  });
});
