import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sourceContract } from '../../src/drivers/githost/contract.ts';
import { gitHubRig } from '../../src/drivers/githost/github/github-rig.ts';
import { createGitHub } from '../../src/drivers/githost/github/github.ts';
import { newFolder } from '../rig/children.ts';
import { startTlsFront, type TlsFront } from '../rig/githost-tls.ts';
import { has } from '../rig/parts.ts';

const token = 'gho_octo_0123456789abcdef';
const hostname = '127.0.46.2';

if (has('gh'))
  sourceContract('cli', async () => {
    const folder = newFolder('gh');
    writeFileSync(
      join(folder, 'hosts.yml'),
      `127.0.0.1:\n    oauth_token: ${token}\n    user: octo\n    git_protocol: https\n`,
    );
    const cli = { file: '/usr/bin/gh', home: folder, path: '/usr/bin:/bin', configDir: folder };
    const { host, gitHub, close } = await gitHubRig({ cli });
    return { host, source: gitHub.cliSource()!, close };
  });

describe.runIf(has('gh'))('gh with TLS', () => {
  let rig: Awaited<ReturnType<typeof gitHubRig>>;
  let front: TlsFront;
  beforeAll(async () => {
    rig = await gitHubRig();
    front = await startTlsFront(rig.host.webUrl, hostname);
  });
  afterAll(async () => {
    front?.stop();
    await rig?.close();
  });

  /** gh, with the rig's authority trusted as on a configured machine. */
  function programFor(folder: string): string {
    const file = join(folder, 'gh');
    writeFileSync(file, `#!/bin/sh\nSSL_CERT_FILE='${front.caFile}' exec /usr/bin/gh "$@"\n`);
    chmodSync(file, 0o755);
    return file;
  }

  it('is signed in by a person, serves us, and is signed out', async () => {
    const folder = newFolder('gh');
    const file = programFor(folder);
    const cli = { file, home: folder, path: '/usr/bin:/bin', configDir: folder };
    const ca = readFileSync(front.caFile, 'utf8');
    const gitHub = createGitHub({ webUrl: front.webUrl, reach: 'private', ca, cli });
    onTestFinished(gitHub.close);
    const source = gitHub.cliSource()!;
    expect(await gitHub.program!.version()).toMatch(/^\d+\.\d+\.\d+$/);
    expect(await gitHub.program!.isSignedIn()).toBe(false);
    expect(await source.state()).toMatchObject({ isUsable: false, reason: 'signed_out' });
    const env = { PATH: '/usr/bin:/bin', HOME: folder, GH_CONFIG_DIR: folder };
    const signIn = promisify(execFile)(file, ['auth', 'login', '--hostname', hostname, '--with-token'], { env });
    signIn.child.stdin!.end(token);
    await signIn;
    expect(await gitHub.program!.isSignedIn()).toBe(true);
    expect(await source.state()).toEqual({ isUsable: true, login: 'octo' });
    expect((await source.repositories({ owner: 'team' })).map(({ name }) => name).toSorted()).toEqual(['docs', 'shop']);
    const distrustful = createGitHub({ webUrl: front.webUrl, reach: 'private', cli });
    onTestFinished(distrustful.close);
    expect(await distrustful.cliSource()!.state(), 'an authority that nobody named').toMatchObject({
      isUsable: false,
      reason: 'unavailable',
    });
    rig.host.gaps.tokens.end(token);
    expect(await source.state()).toMatchObject({ isUsable: false, reason: 'signed_out' });
  });
});
