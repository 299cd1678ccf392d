import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { json, scriptedHost } from '../../../../test/rig/githost-script.ts';
import { gitHubAddresses } from './addresses.ts';
import { GhProgram } from './gh-program.ts';
import { standInGh } from './github-rig.ts';
import { createGitHub } from './github.ts';

const addresses = gitHubAddresses({ webUrl: 'http://127.0.0.1:9' });
const programOf = (file: string, change: object = {}) =>
  new GhProgram({ file, addresses, home: '/nowhere', path: '/usr/bin:/bin', ...change });

/** Creates a fake `gh` with this shell script. */
function script(text: string): string {
  const { file } = standInGh('x');
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  return file;
}

describe('gh program', () => {
  it('provides its token and inherits nothing of our environment', async () => {
    process.env['GH_TOKEN'] = 'of the service';
    onTestFinished(() => void delete process.env['GH_TOKEN']);
    const { file, folder } = standInGh('gho_0123456789');
    const program = programOf(file, { configDir: '/some/where else' });
    expect([await program.version(), await program.token(), await program.isSignedIn()]).toEqual([
      '2.23.0',
      'gho_0123456789',
      true,
    ]);
    const calls = readFileSync(join(folder, 'calls'), 'utf8').split('\n');
    expect(calls).toEqual(
      expect.arrayContaining([
        'auth token --hostname 127.0.0.1',
        'GH_CONFIG_DIR=/some/where else',
        'GH_PROMPT_DISABLED=1',
      ]),
    );
    const variables = calls.flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
    const allowed = [
      'HOME',
      'PATH',
      'LC_ALL',
      'NO_COLOR',
      'GH_PROMPT_DISABLED',
      'GH_NO_UPDATE_NOTIFIER',
      'GH_CONFIG_DIR',
      'PWD',
      'SHLVL',
      '_',
      'OLDPWD',
    ];
    expect(variables.filter((name) => !allowed.includes(name))).toEqual([]);
  });

  it('reports a missing, signed-out, broken or slow program', async () => {
    const missing = programOf('/nowhere/gh');
    expect([await missing.version(), await missing.isSignedIn()]).toEqual([undefined, false]);
    await expect(missing.token()).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('not installed on this machine'),
    });
    const texts = [
      'exit 1',
      'echo "no oauth token"; exit 1',
      'echo "two words"',
      'echo',
      'kill -9 $$',
      'head -c 200000 /dev/zero',
    ];
    for (const text of texts)
      await expect(programOf(script(text)).token(), text).rejects.toMatchObject({ code: 'unauthorized' });
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('left')), 100);
    await expect(programOf(script('exec sleep 30')).token({ signal: stop.signal })).rejects.toThrow('left');
  });

  it('returns the sign-in command as arguments', () => {
    expect(programOf('gh', { addresses: gitHubAddresses() }).signInCommand).toEqual([
      'gh',
      'auth',
      'login',
      '--hostname',
      'github.com',
      '--git-protocol',
      'https',
      '--web',
      '--scopes',
      'repo,read:org,delete_repo',
    ]);
    expect(programOf('gh', { configDir: '/x' }).signInCommand.slice(0, 3)).toEqual(['env', 'GH_CONFIG_DIR=/x', 'gh']);
  });

  it('reads the token again after another account signed in', async () => {
    const { file } = standInGh('gho_of_before_0123');
    const { url, asked } = await scriptedHost((request, response) => {
      const isNew = request.headers.authorization === 'Bearer gho_of_now_0123456';
      json(isNew ? { id: 1, login: 'octo' } : { message: 'Bad credentials' }, isNew ? 200 : 401)(request, response);
    });
    const { cliSource, close } = createGitHub({
      webUrl: url,
      reach: 'private',
      cli: { file, home: '/nowhere', path: '/usr/bin:/bin' },
    });
    onTestFinished(close);
    const source = cliSource()!;
    expect(await source.state()).toMatchObject({ isUsable: false, reason: 'signed_out' });
    writeFileSync(file, '#!/bin/sh\necho gho_of_now_0123456\n');
    expect(await source.state()).toEqual({ isUsable: true, login: 'octo' });
    const before = asked.length;
    expect(await source.state()).toEqual({ isUsable: true, login: 'octo' });
    expect(asked.length - before).toBe(1);
  });
});
